import { type Credentials, createCredentials } from '../../src/access/credentials.ts'
import { emptyAuditHead, nextAuditRow } from '../../src/rules/audit-hash.ts'
import type { Store } from '../../src/stores/store.ts'
import { aMasterKey } from './operators.ts'
import { aNoon } from './test-clock.ts'

type ManyPartners = (Credentials & { partnerId: string; keyId: string })[]

/** Fills an empty database with partners of one tenant, each with a key. */
export async function loadPartners(store: Store, count: number): Promise<ManyPartners> {
  const made = Array.from({ length: count }, (_, index) => {
    const partnerId = `partner-${String(index).padStart(6, '0')}`
    return { partnerId, ...createCredentials(partnerId, aMasterKey) }
  })
  const row = { perTx: null, perPartnerDay: null, createdAt: aNoon }
  await store.importInto(async (target) => {
    await target.insert('tenant', [{ tenantId: 't1', mode: 'live', perUserDay: null, createdAt: aNoon }])
    const partners = made.map(({ partnerId }) => ({ ...row, partnerId, name: 'Partner', status: 'active' }))
    await target.insert(
      'partner',
      partners.map((partner) => ({ ...partner, requestsPerSecond: null })),
    )
    await target.insert(
      'grant',
      made.map(({ partnerId }) => ({ partnerId, tenantId: 't1', perTx: null, perPartnerDay: null })),
    )
    await target.insert(
      'key',
      made.map(({ partnerId, sealed }) => ({
        ...sealed,
        partnerId,
        createdAt: aNoon,
        expiresAt: null,
        revokedAt: null,
      })),
    )
    // As an import: it brings the audit trail with it, by which servers know which database this is.
    const event = {
      actor: 'test',
      action: 'partner create',
      at: aNoon,
      subject: '',
      before: null,
      after: '{}',
    }
    await target.insert('audit', [
      nextAuditRow(emptyAuditHead, { ...event, reason: null, origin: 'service', address: null }),
    ])
    await target.rebuildCounters()
  })
  return made.map(({ partnerId, sealed: { keyId }, credentials }) => ({ partnerId, keyId, ...credentials }))
}
