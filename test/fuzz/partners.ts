import { createPartner } from '../../src/partners/create-partner.ts'
import type { Operator } from '../../src/partners/operator.ts'
import { revokeKey } from '../../src/partners/revoke-key.ts'
import { setPartnerRate } from '../../src/partners/set-partner-rate.ts'
import { suspendPartner } from '../../src/partners/set-partner-status.ts'
import { setTenantCaps } from '../../src/partners/set-tenant-caps.ts'
import { type DatabaseLocation, openStore } from '../../src/stores/open.ts'
import type { Signers } from './fuzz-request.ts'
import { masterKey } from './target.ts'

/** The partners that sign the requests, made before the service starts. */
export async function makePartners(database: DatabaseLocation): Promise<Signers> {
  const store = await openStore(database)
  try {
    const operator: Operator = { store: store.partners, actor: 'fuzz', now: 0 }
    const make = (partnerId: string, tenants: string[], perPartnerDay: number | null = null) =>
      createPartner(operator, { partnerId, name: partnerId, tenants, perTx: null, perPartnerDay }, masterKey)
    const acme = await make('acme', ['t1', 't2', 'tz'])
    await setTenantCaps(operator, 't2', 50)
    const tight = await make('tight', ['t1'], 0)
    const hushed = await make('hushed', ['t1'])
    await suspendPartner(operator, 'hushed')
    const rated = await make('rated', ['t1'])
    await setPartnerRate(operator, 'rated', 5)
    const gone = await make('gone', ['t1'])
    await revokeKey(operator, gone.keyId)
    return { acme, tight, hushed, rated, gone }
  } finally {
    await store.close()
  }
}
