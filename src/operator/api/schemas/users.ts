import { Type } from 'typebox'
import {
  capPlace,
  count,
  day,
  ep,
  exact,
  flag,
  nextCursor,
  orNull,
  partnerId,
  sandbox,
  tenantId,
  text,
  time,
} from './values.ts'

export const address = Type.String({ minLength: 1, maxLength: 400, description: "The user's address." })

export const userLookup = exact({ tenantId, email: address })

export const userReference = exact({
  tenantId,
  ref: text('Opaque reference to the user, for `/users/{tenantId}/{ref}`. The same for every operator.'),
})

/** The user's EP history in a tenant: the awards of all partners, newest first. */
export const userHistory = exact({
  userEmail: text("The user's address."),
  tenantId,
  ref: text('The reference.'),
  sandbox,
  total: ep('EP of all time.'),
  today: exact({
    day: day('Vietnam day.'),
    points: ep('EP of today, from all partners.'),
    limit: ep('perUserDay in force.'),
    from: capPlace,
  }),
  months: Type.Array(exact({ month: text('YYYY-MM, in Vietnam.'), points: ep('EP.') }), {
    description: 'Newest first.',
  }),
  awards: Type.Array(
    exact({
      awardedAt: time('When.'),
      partnerId,
      orderId: text("The partner's orderId."),
      points: ep('EP.'),
      rawAmount: count('The raw amount.'),
      note: orNull(text('The note.')),
      epTransactionId: text('The id of the award.'),
    }),
  ),
  hasMore: flag('There are older awards.'),
  nextCursor,
})
