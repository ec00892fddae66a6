import { Type } from 'typebox'

const limitDefault = 100
const limitMax = 1_000

/** Of every list that has pages. */
export const pageParameters = {
  cursor: Type.Optional(Type.String({ maxLength: 1_000, description: '`nextCursor` of the page before.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: limitMax, description: `Rows per page; ${limitDefault} if absent.` }),
  ),
}

export function limitOf({ limit = limitDefault }: { limit?: number }): number {
  return limit
}
