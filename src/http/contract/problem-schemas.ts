import { type ProblemCode, problemCodes, problems } from '../../wire/problems/catalog.ts'
import type { Schema } from '../../wire/problems/member-schema.ts'
import { protocolStatuses } from '../../wire/problems/protocol-statuses.ts'
import { anObject } from './schema.ts'

/** The JSON schemas of the error bodies, made from the catalog. */
export function problemSchemas(): Record<string, Schema> {
  return Object.fromEntries(problemCodes.map((code) => [schemaName(code), problemSchema(code)]))
}

/** INVALID_SIGNATURE → InvalidSignature. */
export function schemaName(code: ProblemCode): string {
  return code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

function problemSchema(code: ProblemCode): Schema {
  const { title, advice, members, optional } = problems[code]
  return anObject(`${title}. ${advice}`, { ...sharedMembers(code), ...members }, optional)
}

function sharedMembers(code: ProblemCode): Record<string, Schema> {
  const { status, title } = problems[code]
  const statuses = [status, ...Object.keys(protocolStatuses).map(Number)]
  return {
    type: {
      type: 'string',
      const: `/docs/errors/${code}`,
      description: 'Path of the page about this code, on the same service.',
    },
    title: { type: 'string', description: 'Short summary for people. May be reworded.', examples: [title] },
    status:
      code === 'INVALID_REQUEST'
        ? { type: 'integer', enum: statuses, description: 'HTTP status code.', examples: [status] }
        : { type: 'integer', const: status, description: 'HTTP status code.' },
    code: { type: 'string', const: code, description: 'Stable, machine-readable error code.' },
    detail: {
      type: 'string',
      description: 'Explanation of this case for people. May be reworded.',
      examples: [`${title}.`],
    },
    requestId: {
      type: 'string',
      description: 'Same as the X-Request-Id header. Give it to the operator when you ask for help.',
      examples: ['7cd364c3-80f1-4d5e-ab65-079e9dc99b7c'],
    },
  }
}
