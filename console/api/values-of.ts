/** Every value of a string type that the API defines: a missing or an unknown one does not compile. */
export const valuesOf = <T extends string>(values: Readonly<Record<T, true>>): readonly T[] =>
  Object.keys(values) as T[];
