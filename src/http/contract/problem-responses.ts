import { type ProblemCode, problems } from '../../wire/problems/catalog.ts'
import type { Schema } from '../../wire/problems/member-schema.ts'
import { protocolStatuses } from '../../wire/problems/protocol-statuses.ts'
import { problemSchemas, schemaName } from './problem-schemas.ts'
import { exampleOf } from './schema.ts'

/** The error responses of an operation: one for each status, which several codes may share. */
export function problemResponses(
  codes: ProblemCode[],
  protocol: (keyof typeof protocolStatuses)[],
): Record<string, Schema> {
  const byStatus = Object.groupBy(codes, (code) => problems[code].status)
  return {
    ...Object.fromEntries(
      Object.entries(byStatus).map(([status, codes = []]) => [
        status,
        withSandbox(response(titles(codes), codes), status),
      ]),
    ),
    ...Object.fromEntries(
      protocol.map((status) => [
        status,
        response(protocolStatuses[status].when, ['INVALID_REQUEST'], status),
      ]),
    ),
    default: response('Unknown path (404) or unsupported method (405).', ['NOT_FOUND', 'INVALID_REQUEST']),
  }
}

/** Whose tenant it is about is known when the signature has matched. */
function withSandbox({ headers, ...others }: Schema, status: string): Schema {
  const sandbox = { 'EP-Sandbox': { $ref: '#/components/headers/sandbox' } }
  return { ...others, headers: status === '401' ? headers : { ...(headers as Schema), ...sandbox } }
}

function titles(codes: ProblemCode[]): string {
  return codes.map((code) => `${problems[code].title}.`).join(' Or: ')
}

const schemas = problemSchemas()
const refOf = (code: ProblemCode) => `#/components/schemas/${schemaName(code)}`

function response(description: string, codes: ProblemCode[], status?: number): Schema {
  const requestId = { 'X-Request-Id': { $ref: '#/components/headers/requestId' } }
  const waits = codes.some((code) => problems[code].headers?.['Retry-After'] !== undefined)
  return {
    description,
    headers: waits ? { ...requestId, 'Retry-After': { $ref: '#/components/headers/retryAfter' } } : requestId,
    content: {
      'application/problem+json': {
        schema: codes.length === 1 ? { $ref: refOf(codes[0]!) } : oneOfCodes(codes),
        examples: Object.fromEntries(codes.map((code) => [code, { value: example(code, status) }])),
      },
    },
  }
}

/** The member `code` says which one it is. */
function oneOfCodes(codes: ProblemCode[]): Schema {
  return {
    oneOf: codes.map((code) => ({ $ref: refOf(code) })),
    discriminator: {
      propertyName: 'code',
      mapping: Object.fromEntries(codes.map((code) => [code, refOf(code)])),
    },
  }
}

/** `errors` is about fields and parameters. The statuses of HTTP itself have none. */
function example(code: ProblemCode, status?: number): unknown {
  const { errors, ...body } = exampleOf(schemas[schemaName(code)]!) as Schema
  if (status !== undefined) return { ...body, status }
  return errors === undefined ? body : { ...body, errors }
}
