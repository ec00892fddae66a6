/** Partners in the result: metrics are not a list of all partners. */
const partnersMax = 20

const cap = `coalesce(grants.per_partner_day, partners.per_partner_day,
  (SELECT per_partner_day FROM default_caps WHERE only_row = 1))`

/** Both operands of the division: for mixed types PostgreSQL would prefer an operator of another role to its own. */
const fraction = (value: string | number) => `CAST(${value} AS double precision)`

const liveAccounts = `accounts
  JOIN grants ON grants.partner_id = accounts.partner_id AND grants.tenant_id = accounts.tenant_id
  JOIN partners ON partners.partner_id = accounts.partner_id
  JOIN tenants ON tenants.tenant_id = accounts.tenant_id AND tenants.mode = 'live'`

/**
 * The partners that are nearest to perPartnerDay on the day $1: each with its fullest tenant. It reads the accounts, one
 * row for each partner and tenant, and no entries. A cap of 0 that was set later is full. Sandbox
 * tenants do not count.
 */
export const dayUsageQuery = `
  SELECT accounts.partner_id AS "partnerId",
    max(CASE WHEN ${cap} = 0 THEN ${fraction(1)} ELSE ${fraction('accounts.day_points')} / ${fraction(cap)} END) AS ratio
  FROM ${liveAccounts}
  WHERE accounts.day >= $1
  GROUP BY accounts.partner_id ORDER BY ratio DESC, accounts.partner_id LIMIT ${partnersMax}`

/** For alerts: the accounts that have used much of perPartnerDay on the day $1. */
export const nearCapQuery = `
  SELECT accounts.partner_id AS "partnerId", accounts.tenant_id AS "tenantId",
    accounts.day_points AS used, ${cap} AS "limit"
  FROM ${liveAccounts}
  WHERE accounts.day >= $1 AND accounts.day_points >= ${cap} - ${cap} / 4
  ORDER BY accounts.partner_id, accounts.tenant_id LIMIT 1000`

/** For alerts: the present perPartnerDay of these accounts. `named` selects their ids, in each store's own way. */
export const limitsQuery = (named: string) => `
  SELECT grants.partner_id AS "partnerId", grants.tenant_id AS "tenantId", ${cap} AS "limit"
  FROM grants JOIN partners ON partners.partner_id = grants.partner_id
  WHERE (grants.partner_id, grants.tenant_id) IN (${named})`

export const sandboxTenantsQuery = `SELECT tenant_id AS "tenantId" FROM tenants WHERE mode = 'sandbox' LIMIT 10000`
