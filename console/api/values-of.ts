/** Lists every value of a string type of the API. A missing or unknown value is a compile error. */
export const valuesOf = <T extends string>(values: Readonly<Record<T, true>>): readonly T[] =>
  Object.keys(values) as T[];
