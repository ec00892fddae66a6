import type { Schema } from '../../wire/problems/member-schema.ts'

/** A value that the schema describes, built from its `const`, `examples` and `properties`. */
export function exampleOf(schema: Schema): unknown {
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.examples)) return schema.examples[0]
  if (schema.type === 'array') return [exampleOf(schema.items as Schema)]
  const properties = Object.entries(schema.properties as Record<string, Schema>)
  return Object.fromEntries(properties.map(([name, property]) => [name, exampleOf(property)]))
}

/** Every property is required unless `optional` names it. The schema stays open: clients must ignore later additions. */
export function anObject(
  description: string,
  properties: Record<string, Schema>,
  optional: readonly string[] = [],
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', description, required, properties }
}
