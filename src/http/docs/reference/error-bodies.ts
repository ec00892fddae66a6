import type { Schema } from '../../../wire/problems/member-schema.ts'
import { escaped } from '../../../wire/pages/escaped.ts'
import type { Schemas } from './document.ts'
import { type Field, fieldsOf, fieldsToRead } from './fields.ts'

/** The bodies of the errors: first the members of all errors, then those that single codes add. */
export function errorBodies(schemas: Schemas): string {
  const problems = Object.values(schemas).flatMap((schema) => {
    const code = codeOf(schema)
    return code === null ? [] : [{ code, fields: fieldsOf(schema) }]
  })
  const isShared = ({ name }: Field) =>
    problems.every(({ fields }) => fields.some((field) => field.name === name))
  const shared = problems[0]!.fields.filter(isShared).map(withoutValues)
  const own = problems.map(({ code, fields }) => ({
    code,
    fields: fields.filter((field) => !isShared(field)),
  }))
  const plain = own.filter(({ fields }) => fields.length === 0).map(({ code }) => linkOf(code))
  return `${fieldsToRead(shared)}
${own
  .filter(({ fields }) => fields.length > 0)
  .map(({ code, fields }) => `<h3>${linkOf(code)} adds</h3>\n${fieldsToRead(fields)}`)
  .join('\n')}
<p>No further members: ${plain.join(', ')}.</p>`
}

/** The schema of a problem is the one whose type is a page under /docs/errors. */
function codeOf({ properties = {} }: Schema): string | null {
  const { type, code } = properties as Partial<Schemas>
  return String(type?.const).startsWith('/docs/errors/') ? String(code?.const) : null
}

/** Drops the values that differ from code to code. */
function withoutValues({ schema, ...field }: Field): Field {
  const { const: _, enum: __, examples: ___, ...rest } = schema
  return { ...field, schema: rest }
}

function linkOf(code: string): string {
  return `<a href="/docs/errors/${escaped(code)}">${escaped(code)}</a>`
}
