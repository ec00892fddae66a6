import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { verifyLedger } from '../../src/proof/verify.ts'
import { openReading } from '../../src/stores/open.ts'
import { exportLedger } from '../../src/stores/transfer/export-ledger.ts'
import { awardTogether } from '../support/award-together.ts'
import { storeKind } from '../support/fresh-database.ts'
import { anOrder } from '../support/sqlite-ledger.ts'
import { aStoreLedger } from '../support/store-ledger.ts'
import { transferKey } from '../support/transfers.ts'

const ledger = await aStoreLedger({ after })
const { store, database, raw, clock } = ledger
for (let day = 0; day < 3; day++) {
  await awardTogether(
    store.ledger,
    Array.from({ length: 400 }, (_, n) => anOrder(`order-${day}-${n}`, { userEmail: `user${n}@example.vn` })),
  )
  clock.advance(86_400_000)
}

/** Whether some reader still needs what was true a while ago, so that the database cannot clean up. */
async function isHeldBack(): Promise<boolean> {
  if (storeKind === 'sqlite') {
    await raw.run('UPDATE user_days SET points = points') // so that there is something in the log
    const [checkpoint] = await raw.rows('PRAGMA wal_checkpoint(TRUNCATE)')
    return checkpoint?.busy !== 0
  }
  const [held] = await raw.rows(`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND (backend_xmin IS NOT NULL OR state LIKE 'idle in%')`)
  return held?.count !== 0
}

test('while verify works on a page, no snapshot of it is open, until the last one', async () => {
  const reading = await openReading(database)
  const held = { entries: 0, counters: 0, pages: 0 }
  try {
    let isLast = false
    const watched: typeof reading = {
      ...reading,
      atOneInstant: (work) =>
        reading.atOneInstant(() => {
          isLast = true
          return work()
        }),
      entryPass() {
        const pass = reading.entryPass()
        return async function* readOn() {
          for await (const page of pass()) {
            yield page
            held.pages++
            if (!isLast && (await isHeldBack())) held.entries++
          }
        }
      },
      async *userDaysOf(days) {
        for await (const chunk of reading.userDaysOf(days)) {
          yield chunk
          if (!isLast && (await isHeldBack())) held.counters++
        }
      },
    }
    assert.equal((await verifyLedger(watched, () => {})).fault, null)
    assert.ok(held.pages > 1, 'there were pages to look at')
    assert.deepEqual({ entries: held.entries, counters: held.counters }, { entries: 0, counters: 0 })
  } finally {
    await reading.close()
  }
})

test('while an export waits for its reader, no snapshot of it is open', async () => {
  const reading = await openReading(database)
  try {
    let lines = 0
    for await (const piece of exportLedger(reading, {
      key: transferKey,
      onProgress: () => {},
      onEnd: () => {},
    })) {
      lines += piece.split('\n').length - 1
      assert.equal(await isHeldBack(), false)
    }
    assert.ok(lines > 1200)
  } finally {
    await reading.close()
  }
})
