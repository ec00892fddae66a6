/** A JSON Schema (2020-12) or any other part of the contract: plain data. */
export type Schema = { readonly [keyword: string]: unknown }

/** A member of an error's body. Its description is the text that every page and every type shows. */
export type MemberSchema = Schema & { readonly description: string }

export const epTransactionId = {
  type: 'string',
  format: 'uuid',
  description: 'The id of the award in the ledger.',
  examples: ['01a1dd16-3bc2-7717-94b8-8d36151284d0'],
}

export const dateTime = {
  type: 'string',
  format: 'date-time',
  description: 'ISO 8601, UTC, milliseconds.',
  examples: ['2026-11-15T02:43:04.259Z'],
}

export function ep(description: string, example: number): MemberSchema {
  return { type: 'integer', minimum: 0, description, examples: [example] }
}

/** One element of the `errors` of an INVALID_REQUEST. */
export const brokenRule = {
  type: 'object',
  description: 'A broken rule: its place in the award or in the query, and what is wrong.',
  required: ['detail'],
  properties: {
    pointer: {
      type: 'string',
      description: 'JSON Pointer to the place in the body; empty for the body as a whole.',
    },
    parameter: { type: 'string', description: 'Name of the query parameter.' },
    detail: { type: 'string', description: 'What is wrong, for people.' },
  },
  oneOf: [{ required: ['pointer'] }, { required: ['parameter'] }],
  examples: [{ pointer: '/amount', detail: 'must be greater than zero' }],
}
