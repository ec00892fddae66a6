import { type TObject, type TProperties, type TSchema, Type } from 'typebox'
import type { CapPlace } from '../../../answers/caps-in-force.ts'
import { refusalCodes } from '../../../journal/result-code.ts'
import { capMax } from '../../../rules/caps.ts'

/** An object with these members and no others. */
export function exact<T extends TProperties>(members: T, description?: string): TObject<T> {
  return Type.Object(members, {
    additionalProperties: false,
    ...(description === undefined ? {} : { description }),
  })
}

export function orNull<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()])
}

export function oneOf<const T extends readonly string[]>(values: T, description?: string) {
  return Type.Unsafe<T[number]>({
    type: 'string',
    enum: [...values],
    ...(description === undefined ? {} : { description }),
  })
}

export const text = (description: string) => Type.String({ description })
export const count = (description: string) => Type.Integer({ minimum: 0, description })
export const flag = (description: string) => Type.Boolean({ description })

export const time = (description: string) =>
  Type.String({ format: 'date-time', description: `${description} ISO 8601, UTC, milliseconds.` })
export const day = (description: string) =>
  Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: `${description} YYYY-MM-DD.` })

/** EP are whole and not negative. */
export const ep = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })

/** A cap in a request. One in a response may be higher, if an older version stored it. */
export const newCap = (description: string) => Type.Integer({ minimum: 0, maximum: capMax, description })

export const partnerId = Type.String({ minLength: 1, maxLength: 100, description: "The partner's id." })
export const tenantId = Type.String({ minLength: 1, maxLength: 100, description: "The tenant's id." })
export const sandbox = flag('True: awards in this tenant do not count.')
export const tenantMode = oneOf(['live', 'sandbox'], 'Awards in a sandbox tenant do not count.')

/** Why a change is made. Every change needs one; it is written to the audit trail. */
export const reason = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'Why the change is made, for the audit trail.',
})

export const capPlace = oneOf(
  ['partner in tenant', 'partner', 'tenant', 'default'] satisfies CapPlace[],
  'Where the value is set. What is set for the partner in the tenant comes before what is set for the partner, and that before the default.',
)
export const refusalCode = oneOf(refusalCodes, 'Why the request was not carried out.')
export const nextCursor = orNull(
  Type.String({ description: 'Send it as `cursor` to get the next page. Null: this is the last page.' }),
)

/**
 * What a role without access to personal data does not see is null. `isNull` says so, because an absent note is null, too.
 */
export const personal = (description: string) =>
  orNull(Type.String({ description: `${description} Null if your role does not see personal data.` }))
export const userRef = orNull(
  Type.String({
    description:
      'Opaque reference to the user, for `/users/{tenantId}/{ref}`. Null if your role does not see personal data.',
  }),
)
