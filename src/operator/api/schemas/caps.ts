import { Type } from 'typebox'
import {
  capPlace,
  ep,
  exact,
  flag,
  newCap,
  orNull,
  partnerId,
  reason,
  sandbox,
  tenantId,
  text,
  time,
} from './values.ts'
import { count, day } from './values.ts'

/** The row of the audit trail that gave a cap its value. */
export const capChange = exact({
  auditSeq: count('Number of the row in the audit trail.'),
  at: time('When.'),
  actor: text('Who.'),
  action: text('What was done, such as `partner caps`.'),
  reason: orNull(text('Why.')),
})

export const capInForce = exact({ limit: ep('The cap in EP.'), from: capPlace })

const setCap = exact({
  limit: ep('The cap in EP.'),
  from: capPlace,
  change: orNull(capChange),
})

export const capsInForce = exact({ perTx: setCap, perPartnerDay: setCap, perUserDay: setCap })

const ownCapsIn = (cap: typeof ep) => ({
  perTx: orNull(cap('EP per award. Null: not set here, the wider cap applies.')),
  perPartnerDay: orNull(cap('EP per tenant and Vietnam day. Null: not set here, the wider cap applies.')),
})
export const ownCaps = ownCapsIn(ep)
export const newOwnCaps = ownCapsIn(newCap)

export const defaultCaps = exact({
  perTx: ep('EP per award.'),
  perPartnerDay: ep('EP per partner, tenant and Vietnam day.'),
  perUserDay: ep('EP per user, tenant and Vietnam day, from all partners.'),
  setAt: orNull(time('When they were set; null: never, the built-in values apply.')),
})

const change = 'Absent: stays as it is. Null: is removed, so that the wider cap applies.'
export const partnerCapsChange = exact({
  tenantId: Type.Optional(tenantId),
  perTx: Type.Optional(orNull(newCap(`EP per award. ${change}`))),
  perPartnerDay: Type.Optional(orNull(newCap(`EP per tenant and Vietnam day. ${change}`))),
  reason,
})

export const tenantCapsChange = exact({
  perUserDay: orNull(newCap('EP per user and Vietnam day, from all partners. Null: the default applies.')),
  reason,
})

export const defaultCapsChange = exact({
  perTx: Type.Optional(newCap('EP per award.')),
  perPartnerDay: Type.Optional(newCap('EP per partner, tenant and Vietnam day.')),
  perUserDay: Type.Optional(newCap('EP per user, tenant and Vietnam day, from all partners.')),
  reason,
})

export const capsToTry = exact({
  perPartnerDay: Type.Optional(
    newCap('The cap to try: EP per tenant and Vietnam day. Either this or perTx.'),
  ),
  perTx: Type.Optional(newCap('The cap to try: EP per award. Either this or perPartnerDay.')),
  tenantId: Type.Optional(tenantId),
  days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 366, description: 'The last days, today included. 30 if absent.' }),
  ),
})

const refusedThen =
  'Refused then by this cap: each order once, on the day on which it was first refused, and none that was credited that day.'
const triedDay = exact({
  day: day('Vietnam day.'),
  awards: count('What was credited.'),
  points: ep('What was credited.'),
  refusedAwards: count('Of that, what the new cap would have refused.'),
  refusedPoints: ep('Of that, what the new cap would have refused.'),
  refusedThenOrders: count(refusedThen),
  refusedThenPoints: ep(refusedThen),
  admittedOrders: count('Of these, what the new cap would have admitted.'),
  admittedPoints: ep('Of these, what the new cap would have admitted.'),
  stillRefusedOrders: count('And what it would have refused, too.'),
  stillRefusedPoints: ep('And what it would have refused, too.'),
})

/** What another perPartnerDay or perTx would have changed in the past. Totals are the sums of the days, without sandbox tenants. */
export const triedCap = exact({
  partnerId,
  perPartnerDay: orNull(ep('The value that was tried; null: perTx was.')),
  perTx: orNull(ep('The value that was tried; null: perPartnerDay was.')),
  from: day('First day.'),
  to: day('Last day.'),
  tenants: Type.Array(
    exact({
      tenantId,
      sandbox,
      now: capInForce,
      days: Type.Array(triedDay, { description: 'Those with awards, or with orders that the cap refused.' }),
    }),
  ),
  refused: exact({ awards: count('Credited, and refused by the new cap.'), points: ep('Their EP.') }),
  admittedAtLeast: exact({ orders: count('Refused, and admitted by the new cap.'), points: ep('Their EP.') }),
  stillRefused: exact({
    orders: count('Refused, and by the new cap, too. At most: some were credited on a later day.'),
    points: ep('Their EP.'),
  }),
  refusalsSince: orNull(time('Since when refusals are on record; null: none is.')),
  isCut: flag('There were more refusals than are looked at: the newest are.'),
})
