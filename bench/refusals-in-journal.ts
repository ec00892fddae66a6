import { randomUUID } from 'node:crypto'
import { systemClock } from '../src/clock.ts'
import type { Refusal } from '../src/journal/journal-batch.ts'
import { newJournalKey, openJournalKey, orderFingerprint } from '../src/journal/journal-key.ts'
import { type DatabaseLocation, serveStore } from '../src/stores/open.ts'

const batchSize = 1_000

type Refused = { requestId: string; orderId: string }

/** Writes refusals as a server does. Returns one of every batch, and how to find an order among them. */
export async function fillJournal(
  database: DatabaseLocation,
  masterKey: Uint8Array,
  count: number,
): Promise<{ refused: Refused[]; fingerprintOf(orderId: string): Promise<string> }> {
  const store = await serveStore(database, { caps: {}, clock: systemClock, warn: () => {} })
  const writer = store.openJournal({ refusalDays: 30, warn: () => {} })
  const key = openJournalKey(masterKey, await writer.storedKey(newJournalKey(masterKey)))
  const refused: Refused[] = []
  const node = `bench-${randomUUID()}`
  for (let number = 1; number * batchSize <= count; number++) {
    const at = systemClock.now()
    const refusals = Array.from({ length: batchSize }, (_, index): Refusal => {
      const requestId = randomUUID()
      const orderId = `refused-${number}-${index}`
      if (index === 0) refused.push({ requestId, orderId })
      return {
        at: at - index,
        partnerId: 'partner-00',
        keyId: null,
        tenantId: 'tenant-0',
        endpoint: 'award',
        code: 'DAILY_CAP_EXCEEDED',
        cap: 'perPartnerDay',
        limit: 1,
        requested: 5,
        used: 1,
        requestId,
        orderFingerprint: orderFingerprint(key, orderId),
      }
    })
    await writer.write({ node, number, at, since: at, counts: [], refusals, replays: [], keyUses: [] })
  }
  await writer.close()
  await store.ledger.close()
  await store.close()
  return { refused, fingerprintOf: async (orderId) => orderFingerprint(key, orderId) }
}
