/**
 * What an operator or an API token may do. Every route of the operator API names the one permission that it needs. A role
 * is a list of them, and so are the scopes of a token.
 */
export const permissions = {
  'figures.read': 'see totals, usage, refusal counts, alerts and reports',
  'partners.read': 'see partners, tenants, caps and keys, without secrets',
  'awards.read': 'find and explain awards and refusals, without the addresses and notes of users',
  'verification.read': 'see the state and the results of verify',
  'audit.read': 'see who changed which setting, when and why',
  'metrics.read': 'read /metrics from another machine',
  'personal.read':
    'see users: their addresses, notes and EP history (each time is recorded in the access log)',
  'partners.suspend': 'suspend and resume partners',
  'verification.start': 'start a verification of the ledger',
  'partners.write': 'create partners, change names, caps, rates and tenants',
  'keys.write': "create, rotate and revoke partners' keys",
  'access-log.read': 'see who read personal data, signed in, or was denied something',
  'operators.read': 'see operators, their sessions, and API tokens',
  'operators.write': 'create, change, disable and reset operators, and end their sessions',
  'tokens.write': 'create and revoke API tokens',
} as const

export type Permission = keyof typeof permissions

export const permissionNames = Object.keys(permissions) as Permission[]

export function isPermission(text: string): text is Permission {
  return Object.hasOwn(permissions, text)
}

const viewer: Permission[] = [
  'figures.read',
  'partners.read',
  'awards.read',
  'verification.read',
  'audit.read',
  'metrics.read',
]
const support: Permission[] = [...viewer, 'personal.read', 'partners.suspend', 'verification.start']

/** From the least to the most. */
const roles = { viewer, support, admin: permissionNames } as const satisfies Record<
  string,
  readonly Permission[]
>

export type Role = keyof typeof roles

export const roleNames = Object.keys(roles) as Role[]

export function isRole(text: string): text is Role {
  return Object.hasOwn(roles, text)
}

export function permissionsOf(role: Role): ReadonlySet<Permission> {
  return new Set(roles[role])
}

/** From the least to the most. */
export function rolesWith(permission: Permission): Role[] {
  return roleNames.filter((role) => permissionsOf(role).has(permission))
}

/** The least role that has it: what to ask an admin for. */
export function roleWith(permission: Permission): Role {
  return rolesWith(permission)[0]!
}
