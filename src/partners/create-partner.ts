import { createCredentials } from '../access/credentials.ts'
import { idRule, isId } from '../rules/id.ts'
import type { IssuedKey } from './create-key.ts'
import { changeBy, type Operator } from './operator.ts'
import { nameProblem } from './partner-name.ts'
import { Refused } from './refused.ts'
import { namedTenants } from './tenant-modes.ts'

export type NewPartner = {
  partnerId: string
  name: string
  tenants: string[]
  sandboxTenants?: string[]
  perTx: number | null
  perPartnerDay: number | null
}

/** Creates a partner with its allowedTenants and a first key, whose secret is returned only here. */
export async function createPartner(
  operator: Operator,
  { partnerId, name, tenants, sandboxTenants = [], perTx, perPartnerDay }: NewPartner,
  masterKey: Uint8Array,
): Promise<IssuedKey> {
  if (!isId(partnerId)) throw new Refused(`the partner's id ${idRule}`)
  const problem = nameProblem(name)
  if (problem !== null) throw new Refused(`the partner's name ${problem}`)
  const named = namedTenants(tenants, sandboxTenants)
  const tenantIds = [...named.keys()]
  const malformed = tenantIds.find((tenantId) => !isId(tenantId))
  if (malformed !== undefined) throw new Refused(`the tenant "${malformed}" ${idRule}`)

  const { credentials, sealed } = createCredentials(partnerId, masterKey)
  const { now } = operator
  await operator.store.changePartner(
    partnerId,
    changeBy(operator, 'partner create'),
    (before) => {
      if (before !== undefined) {
        const lost = `if its secret is lost, create another key: key create ${partnerId}`
        throw new Refused(`the partner "${partnerId}" exists already; ${lost}`)
      }
      return {
        partnerId,
        name,
        status: 'active',
        perTx,
        perPartnerDay,
        requestsPerSecond: null,
        createdAt: now,
        grants: tenantIds.map((tenantId) => ({ tenantId, perTx: null, perPartnerDay: null })),
        keys: [{ ...sealed, createdAt: now, expiresAt: null, revokedAt: null }],
      }
    },
    named,
  )
  return { partnerId, keyId: sealed.keyId, ...credentials }
}
