import { schemaName } from '../../src/http/contract/problem-schemas.ts'
import { type ProblemCode, problemCodes, problems } from '../../src/wire/problems/catalog.ts'
import { brokenRule, type Schema } from '../../src/wire/problems/member-schema.ts'
import { comment, parameters } from './typescript.ts'

const notice = '// Made from the catalog of errors by `npm run contract`. Do not edit.'

/** The SDK's files that describe the service's errors: the path from the project's root, and the text. */
export function sdkErrorFiles(): [path: string, text: string][] {
  return [
    ['sdk/src/rule-fault.ts', ruleFaultFile()],
    ['sdk/src/service-errors.ts', classesFile()],
    ['sdk/src/service-error-of.ts', readersFile()],
  ]
}

type Member = { name: string; schema: Schema; optional: boolean }

function membersOf(code: ProblemCode): Member[] {
  const { members, optional = [] } = problems[code]
  return Object.entries(members).map(([name, schema]) => ({
    name,
    schema,
    optional: optional.includes(name),
  }))
}

/** INVALID_SIGNATURE → InvalidSignatureError; INTERNAL_ERROR → InternalServiceError. */
function className(code: ProblemCode): string {
  return code.endsWith('_ERROR')
    ? schemaName(code).replace(/Error$/, 'ServiceError')
    : `${schemaName(code)}Error`
}

function ruleFaultFile(): string {
  const fields = Object.entries(brokenRule.properties).map(
    ([name, { description }]) =>
      `${comment([description], '  ')}  ${name}${brokenRule.required.includes(name) ? '' : '?'}: string\n`,
  )
  return `${notice}

${comment([brokenRule.description])}export type RuleFault = {
${fields.join('')}}
`
}

function classesFile(): string {
  return `${notice}
import { type Failure, PartnerCreditError } from './errors.ts'
import type { RuleFault } from './rule-fault.ts'

${comment(["The codes of the service's errors. Each has its own class, with the members of that code."])}export type ServiceErrorCode =
${problemCodes.map((code) => `  | '${code}'`).join('\n')}

${problemCodes.map(classOf).join('\n')}`
}

function classOf(code: ProblemCode): string {
  const { when, sdkNote = '' } = problems[code]
  const name = className(code)
  const members = membersOf(code)
  const fields = members.map((member) => {
    const otherwise = member.optional ? `Otherwise ${isList(member) ? 'empty' : 'null'}.` : ''
    return `${comment([String(member.schema.description), otherwise], '  ')}  readonly ${member.name}: ${typeOf(member)}\n`
  })
  return `${comment([when, sdkNote])}export class ${name} extends PartnerCreditError {
  static {
    ${name}.prototype.name = '${name}'
  }
  readonly code = '${code}'
${fields.join('')}${members.length === 0 ? '' : constructorOf(name, members)}}
`
}

function constructorOf(name: string, members: Member[]): string {
  const picked = `Pick<${name}, ${members.map((member) => `'${member.name}'`).join(' | ')}>`
  return `
  constructor${parameters(['message: string', 'failure: Failure', `members: ${picked}`])} {
    super(message, failure)
${members.map((member) => `    this.${member.name} = members.${member.name}\n`).join('')}  }
`
}

function isList({ schema }: Member): boolean {
  return schema.type === 'array'
}

function typeOf({ schema, optional }: Member): string {
  if (schema.type === 'array') return `readonly ${schema.items === brokenRule ? 'RuleFault' : 'string'}[]`
  const value = Array.isArray(schema.enum)
    ? schema.enum.map((one) => `'${one}'`).join(' | ')
    : plainType(schema)
  return optional ? `${value} | null` : value
}

function plainType({ type }: Schema): 'number' | 'string' {
  return type === 'integer' ? 'number' : 'string'
}

function readersFile(): string {
  const imports = [...problemCodes.map(className), 'type ServiceErrorCode'].toSorted((a, b) =>
    a.replace('type ', '') < b.replace('type ', '') ? -1 : 1,
  )
  return `${notice}
import type { Failure, PartnerCreditError } from './errors.ts'
import {
  list,
  type Members,
  number,
  oneOf,
  optional,
  optionalList,
  ruleFault,
  string,
} from './read-member.ts'
import {
${imports.map((name) => `  ${name},\n`).join('')}} from './service-errors.ts'

${comment(['Makes the error of each code from the body of a response. Throws MemberMissing if a member is missing.'])}export const serviceErrorOf: Record<
  ServiceErrorCode,
  (message: string, failure: Failure, members: Members) => PartnerCreditError
> = {
${problemCodes.map(readerOf).join('')}}
`
}

function readerOf(code: ProblemCode): string {
  const members = membersOf(code)
  if (members.length === 0)
    return `  ${code}: (message, failure) => new ${className(code)}(message, failure),\n`
  return `  ${code}: (message, failure, members) =>
    new ${className(code)}(message, failure, {
${members.map((member) => `      ${member.name}: ${readingOf(member)},\n`).join('')}    }),
`
}

function readingOf(member: Member): string {
  const { schema, optional } = member
  const value = `members.${member.name}`
  if (isList(member)) {
    const element = schema.items === brokenRule ? 'ruleFault' : 'string'
    return `${optional ? 'optionalList' : 'list'}(${value}, ${element})`
  }
  if (Array.isArray(schema.enum))
    return `oneOf(${value}, [${schema.enum.map((one) => `'${one}'`).join(', ')}])`
  return optional ? `optional(${value}, ${plainType(schema)})` : `${plainType(schema)}(${value})`
}
