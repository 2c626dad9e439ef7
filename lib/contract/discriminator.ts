/** The OpenAPI object that tells the schemas of a union apart. @param names of the schemas by the value of the property */
export const discriminator = (propertyName: string, names: Readonly<Record<string, string>>) => ({
  propertyName,
  mapping: Object.fromEntries(
    Object.entries(names).map(([value, name]) => [value, `#/components/schemas/${name}`]),
  ),
});
