import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { verifyLedger } from '../../src/proof/verify.ts'
import { openReading } from '../../src/stores/open.ts'
import { noRest } from '../../src/stores/rests.ts'
import { Database } from '../../src/stores/sqlite/database.ts'
import { checkStorage } from '../../src/stores/sqlite/storage-check.ts'
import { awardTogether } from '../support/award-together.ts'
import { eventually } from '../support/eventually.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { startServerProcess } from '../support/server-process.ts'
import { anOrder } from '../support/sqlite-ledger.ts'
import { aStoreLedger } from '../support/store-ledger.ts'

const { store, database } = await aStoreLedger({ after })
await awardTogether(
  store.ledger,
  Array.from({ length: 1_200 }, (_, n) => anOrder(`order-${n}`)),
)

test('verify rests after every page of what was there when it began, and never while a snapshot is open', async () => {
  const reading = await openReading(database)
  const seen: string[] = []
  try {
    const watched: typeof reading = {
      ...reading,
      rest: async () => void seen.push('rest'),
      async atOneInstant(work) {
        seen.push('snapshot')
        return reading.atOneInstant(work)
      },
      entryPass() {
        const pass = reading.entryPass()
        return async function* readOn() {
          for await (const page of pass()) {
            seen.push('page')
            yield page
          }
        }
      },
    }
    equal((await verifyLedger(watched, () => {})).fault, null)
  } finally {
    await reading.close()
  }
  const pages = seen.filter((what) => what === 'page').length
  ok(pages > 1)
  deepEqual(seen, [...Array.from({ length: pages }, () => ['page', 'rest']).flat(), 'snapshot'])
})

test('so does the check of the indexes of a SQLite file that is served', async (t) => {
  if (database.kind !== 'sqlite') return t.skip('PostgreSQL checks its own')
  const ledgerFile = new Database(database.path, { readOnly: true })
  let rests = 0
  const rest = async () => void rests++
  deepEqual(await checkStorage(ledgerFile, { onProgress: () => {}, rest }), {
    fault: null,
    extent: 'indexes',
  })
  ledgerFile.close()
  equal(rests, 2, 'of the 1,200 entries it reads 1,000 at once')
})

test('a long read rests while a server runs on the ledger, and not where there is none', async (t) => {
  const fresh = await freshDatabase()
  t.after(fresh.remove)
  const environment = { DATABASE_URL: fresh.url, MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }
  async function restNow() {
    const reading = await openReading(readConfig(environment).database)
    await reading.close()
    return reading.rest
  }
  const server = await startServerProcess(environment)
  t.after(() => server.end('SIGKILL'))
  await eventually('the server is known to be there', async () => (await restNow()) !== noRest)
  await server.end('SIGTERM')
  await eventually('it is known to be gone', async () => (await restNow()) === noRest)
})
