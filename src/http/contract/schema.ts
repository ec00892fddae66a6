/** A JSON Schema (2020-12) or any other part of the document: plain data. */
export type Schema = { readonly [keyword: string]: unknown }

/** A value that the schema describes, put together from the `const`, `examples` and `properties` in it. */
export function exampleOf(schema: Schema): unknown {
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.examples)) return schema.examples[0]
  if (schema.type === 'array') return [exampleOf(schema.items as Schema)]
  const properties = Object.entries(schema.properties as Record<string, Schema>)
  return Object.fromEntries(properties.map(([name, property]) => [name, exampleOf(property)]))
}

/** Every property is required unless it is named as optional. Open: a client must not mind what is added later. */
export function anObject(
  description: string,
  properties: Record<string, Schema>,
  optional: string[] = [],
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', description, required, properties }
}
