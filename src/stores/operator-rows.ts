import type { ApiToken, OperatorAccount } from '../operator/access/operator-store.ts'
import type { Permission } from '../operator/access/permissions.ts'
import { columns } from './columns.ts'

/** Scopes are one text in the tables. */
export type TokenRow = Omit<ApiToken, 'scopes'> & { scopes: string }

const operatorSelection = columns<OperatorAccount>(
  'operatorId',
  'role',
  'status',
  'passwordHash',
  'oidcSubject',
  'sessionsFrom',
  'createdAt',
)
const tokenSelection = columns<TokenRow>(
  'tokenId',
  'name',
  'tokenHash',
  'scopes',
  'operatorId',
  'createdAt',
  'expiresAt',
  'revokedAt',
)

/** Parameters are numbered as PostgreSQL does it; for SQLite, `prepareNumbered` rewrites them. */
export const operatorStatements = {
  selectOperators: `SELECT ${operatorSelection} FROM operators ORDER BY operator_id`,
  selectOperator: `SELECT ${operatorSelection} FROM operators WHERE operator_id = $1`,
  putOperator: `
    INSERT INTO operators (operator_id, role, status, password_hash, oidc_subject, sessions_from, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (operator_id) DO UPDATE SET role = excluded.role, status = excluded.status,
      password_hash = excluded.password_hash, oidc_subject = excluded.oidc_subject,
      sessions_from = excluded.sessions_from`,
  selectTokens: `SELECT ${tokenSelection} FROM operator_tokens ORDER BY token_id`,
  selectToken: `SELECT ${tokenSelection} FROM operator_tokens WHERE token_id = $1`,
  selectTokenByHash: `SELECT ${tokenSelection} FROM operator_tokens WHERE token_hash = $1`,
  putToken: `
    INSERT INTO operator_tokens (token_id, name, token_hash, scopes, operator_id, created_at, expires_at, revoked_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (token_id) DO UPDATE SET expires_at = excluded.expires_at, revoked_at = excluded.revoked_at`,
}

export function operatorValues(operator: OperatorAccount): (string | number | null)[] {
  const { operatorId, role, status, passwordHash, oidcSubject, sessionsFrom, createdAt } = operator
  return [operatorId, role, status, passwordHash, oidcSubject, sessionsFrom, createdAt]
}

export function tokenValues(token: ApiToken): (string | number | null)[] {
  const { tokenId, name, tokenHash, scopes, operatorId, createdAt, expiresAt, revokedAt } = token
  return [tokenId, name, tokenHash, scopes.join(' '), operatorId, createdAt, expiresAt, revokedAt]
}

/** As stored: a scope that this version does not know, of a newer one or written by SQL, allows nothing, and verify has to see it. */
export function tokenOf(row: TokenRow): ApiToken {
  return { ...row, scopes: row.scopes.split(' ') as Permission[] }
}
