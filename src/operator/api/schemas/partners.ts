import { Type } from 'typebox'
import { capInForce, capsInForce, defaultCaps, newOwnCaps, ownCaps } from './caps.ts'
import {
  capPlace,
  count,
  ep,
  exact,
  flag,
  nextCursor,
  oneOf,
  orNull,
  partnerId,
  reason,
  tenantId,
  tenantMode,
  text,
  time,
} from './values.ts'

const keyFields = {
  keyId: text("The key's id. It is not the API key."),
  createdAt: time('When it was created.'),
  expiresAt: orNull(time('When it stops working; null: never.')),
  revokedAt: orNull(time('When it was revoked; null: it was not.')),
}
const key = exact(keyFields)
const keyWithUse = exact({
  ...keyFields,
  lastUsedAt: orNull(time('The last request that was signed with it; null: not on record.')),
  clockDifferenceMs: orNull(
    Type.Integer({ description: "How far the caller's clock was ahead of ours; null: not on record." }),
  ),
})

/** Shown once: nobody can read the secret again. */
export const issuedKey = exact({
  partnerId,
  keyId: text("The key's id."),
  apiKey: text('Sent as X-Api-Key.'),
  signingSecret: text('Signs requests. It is shown only in this response.'),
})

const partnerFields = {
  partnerId,
  name: text("The partner's name."),
  status: oneOf(['active', 'suspended'], 'New awards of a suspended partner are refused.'),
  ...ownCaps,
  requestsPerSecond: orNull(count('Requests per second, on each node; null: no limit.')),
  createdAt: time('When it was created.'),
}

/** An allowed tenant, with caps of its own. */
const grant = exact({ tenantId, ...ownCaps, mode: tenantMode })
const grantWithCaps = exact({ tenantId, ...ownCaps, mode: tenantMode, caps: capsInForce })

/** What became of a partner's requests on a Vietnam day. Sandbox tenants are left out. */
export const dayFigures = exact({
  awards: count('New awards.'),
  points: ep('Their EP.'),
  refused: count('Requests for an award that were refused.'),
  replays: count('Repeated requests for credited orders.'),
})

export const partner = exact({
  ...partnerFields,
  grants: Type.Array(grant),
  keys: Type.Array(key),
})

const partnerInList = exact({
  ...partnerFields,
  grants: Type.Array(grant),
  keys: Type.Array(key),
  today: dayFigures,
  highestUse: orNull(
    exact(
      {
        tenantId,
        points: ep('EP credited today.'),
        limit: ep('perPartnerDay in force.'),
        from: orNull(capPlace),
      },
      'The live tenant in which the most of perPartnerDay is used today; null: no awards today.',
    ),
  ),
  lastAwardAt: orNull(time('Its last award in any tenant; null: none yet.')),
})

const problem = text('What cannot be read, and what to do.')
export const partnerList = exact({
  items: Type.Array(partnerInList),
  damaged: Type.Array(exact({ partnerId, name: partnerFields.name, status: partnerFields.status, problem }), {
    description: 'Partners of this page whose rows were changed from outside and cannot be read.',
  }),
  nextCursor,
})

export const partnerDetails = exact({
  ...partnerFields,
  grants: Type.Array(grantWithCaps),
  keys: Type.Array(keyWithUse),
  defaults: defaultCaps,
  today: dayFigures,
  lastAwardAt: orNull(time('Its last award in any tenant; null: none yet.')),
  wrongSignatures: count('Requests of the last 24 hours with one of its keys and a wrong signature.'),
})

const name = Type.String({ minLength: 1, maxLength: 200, description: "The partner's name." })
export const newPartner = exact({
  partnerId,
  name,
  tenants: Type.Optional(Type.Array(tenantId, { maxItems: 100, description: 'Live tenants it may use.' })),
  sandboxTenants: Type.Optional(
    Type.Array(tenantId, { maxItems: 100, description: 'Sandbox tenants it may use.' }),
  ),
  perTx: Type.Optional(newOwnCaps.perTx),
  perPartnerDay: Type.Optional(newOwnCaps.perPartnerDay),
  reason,
})

export const partnerChange = exact({
  name: Type.Optional(name),
  requestsPerSecond: Type.Optional(
    orNull(
      Type.Integer({
        minimum: 1,
        maximum: 999_999,
        description: 'Requests per second, on each node. Null: no limit.',
      }),
    ),
  ),
  reason,
})

export const reasonOnly = exact({ reason })

export const keyRotation = exact({
  overlapSeconds: Type.Integer({
    minimum: 0,
    maximum: 31_536_000,
    description: 'How long the old key keeps working; 0: it is revoked.',
  }),
  reason,
})

export const revokedKey = exact({ partnerId, ...keyFields })

export const grantChange = exact({ tenantId, mode: Type.Optional(tenantMode), reason })
export const grantList = exact({ items: Type.Array(grantWithCaps) })

export const tenant = exact({
  tenantId,
  mode: tenantMode,
  perUserDay: orNull(ep('EP per user and Vietnam day, from all partners. Null: the default applies.')),
  createdAt: time('When it was created.'),
})
const tenantInList = exact({
  tenantId,
  mode: tenantMode,
  perUserDay: orNull(ep('EP per user and Vietnam day, from all partners. Null: the default applies.')),
  createdAt: time('When it was created.'),
  inForce: capInForce,
  partners: Type.Array(text('The ids of the partners that may use it.')),
})
export const tenantList = exact({
  items: Type.Array(tenantInList),
  damaged: Type.Array(exact({ tenantId, mode: tenantMode, problem }), {
    description: 'Tenants of this page whose rows were changed from outside and cannot be read.',
  }),
  nextCursor,
})

/** What people call partners, and which tenants there are: for names and filters in the console. */
export const names = exact({
  partners: Type.Array(exact({ partnerId, name: text("The partner's name.") })),
  tenants: Type.Array(exact({ tenantId, mode: tenantMode })),
  isCut: flag('There are more than are listed.'),
})
