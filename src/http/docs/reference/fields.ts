import type { Schema } from '../../../wire/problems/member-schema.ts'
import { limitsOf, typeOf } from './limits.ts'
import { code, inline } from './prose.ts'

export type Field = { name: string; required: boolean; description?: string; schema: Schema }

/** Fields of a request: meaning, limits, an example. */
export function fieldsToSend(fields: Field[]): string {
  return list(fields, ({ required }) => (required ? ' · <strong>required</strong>' : ' · optional'))
}

/** Fields of a response. Only optional ones are marked. */
export function fieldsToRead(fields: Field[]): string {
  return list(fields, ({ required }) => (required ? '' : ' · optional'))
}

/** The fields of an object, followed by those of nested objects: items, items[].points. */
export function fieldsOf({ properties = {}, required = [] }: Schema, prefix = ''): Field[] {
  return Object.entries(properties as Record<string, Schema>).flatMap(([key, schema]) => {
    const name = `${prefix}${key}`
    const inner = schema.type === 'array' ? (schema.items as Schema) : schema
    const path = schema.type === 'array' ? `${name}[].` : `${name}.`
    return [{ name, required: (required as string[]).includes(key), schema }, ...fieldsOf(inner, path)]
  })
}

function list(fields: Field[], presence: (field: Field) => string): string {
  const rows = fields.map((field) => {
    const { name, schema, description = schema.description } = field
    const facts = [...limitsOf(schema), ...exampleOf(schema)].map((fact) => `<li>${fact}</li>`)
    return `<div>
<dt>${code(name)} <span>${typeOf(schema)}${presence(field)}</span></dt>
<dd>${description === undefined ? '' : `<p>${inline(String(description))}</p>`}
${facts.length > 0 ? `<ul class="facts">${facts.join('')}</ul>` : ''}</dd>
</div>`
  })
  return `<dl class="fields">${rows.join('\n')}</dl>`
}

/** Lists and objects have no example of their own: the example of the whole body shows them. */
function exampleOf({ examples, items, properties }: Schema): string[] {
  if (!Array.isArray(examples) || items !== undefined || properties !== undefined) return []
  const [example] = examples
  return [`Example ${code(typeof example === 'string' ? example : JSON.stringify(example))}`]
}
