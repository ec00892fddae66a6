import { Type } from 'typebox'
import { permissionNames, roleNames } from '../../access/permissions.ts'
import { count, exact, flag, oneOf, orNull, reason, text, time } from './values.ts'

export const role = oneOf(roleNames, 'From the least to the most.')
const permission = oneOf(permissionNames)
export const operatorId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The name of the account: a short name or an e-mail address.',
})
export const password = Type.String({ maxLength: 1_000, description: '12 to 200 characters.' })

const permissions = Type.Array(permission, { description: 'What may be done.' })

export const signedIn = exact({
  operator: exact({ operatorId, name: text('The same.'), role }),
  permissions,
  csrfToken: text('For the header x-csrf-token of every request that changes something.'),
  method: oneOf(['password', 'oidc'], 'How this session began.'),
  endsAt: time('When the session ends at the latest.'),
})

const byToken = exact({
  token: exact({ tokenId: text("The token's id."), name: text('Its name.'), expiresAt: time('Until when.') }),
  operatorId: orNull(operatorId),
  permissions,
})

const signedOut = exact({
  needsFirstAccount: flag('Nobody has an account yet.'),
  provider: orNull(text('The name of the OpenID provider; null if there is none.')),
})

export const sessionState = Type.Union([signedIn, byToken, signedOut])

const session = exact({
  sessionId: text('For ending it.'),
  method: oneOf(['password', 'oidc']),
  address: text('Where it began.'),
  userAgent: text('What the browser says of itself.'),
  createdAt: time('When it began.'),
  usedAt: time('The last request, to the minute.'),
  isThis: flag('It is the session of this request.'),
})

export const operator = exact({
  operatorId,
  role,
  status: oneOf(['active', 'disabled']),
  hasPassword: flag('It can sign in by a password.'),
  hasOidc: flag('It is linked to a person at the OpenID provider.'),
  createdAt: time('When it was created.'),
  lastSignIn: orNull(time('When it last signed in.')),
  lastAddress: orNull(text('Where from.')),
  sessions: Type.Array(session),
})

export const operatorList = exact({
  operators: Type.Array(operator),
  roles: Type.Array(exact({ role, permissions }), { description: 'What each role may do.' }),
  provider: orNull(text('The name of the OpenID provider; null if there is none.')),
})

/** The password is there only if it was generated. */
export const issuedOperator = exact({
  operatorId,
  role,
  password: orNull(text('Generated, and only in this response; null if it was given, or there is none.')),
})

export const ended = exact({ ended: count('How many sessions there were.') })

export const token = exact({
  tokenId: text("The token's id."),
  name: text('What it is for.'),
  scopes: Type.Array(permission),
  operatorId: orNull(operatorId),
  createdAt: time('When it was created.'),
  expiresAt: time('Until when it is valid.'),
  revokedAt: orNull(time('When it was revoked.')),
  lastUse: orNull(time('When it was last used, to the minute.')),
  lastAddress: orNull(text('Where from.')),
})

export const tokenList = exact({
  tokens: Type.Array(token),
  scopes: Type.Array(exact({ scope: permission, about: text('What it allows.') })),
})

export const issuedToken = exact({
  tokenId: text("The token's id."),
  name: text('What it is for.'),
  secret: text('For Authorization: Bearer. It is only in this response.'),
  expiresAt: time('Until when it is valid.'),
})

export const newToken = exact({
  name: Type.String({ minLength: 1, maxLength: 200, description: 'What it is for.' }),
  scopes: Type.Array(permission, { minItems: 1, maxItems: permissionNames.length }),
  expiresInDays: Type.Integer({ minimum: 1, maximum: 400 }),
  reason,
})
