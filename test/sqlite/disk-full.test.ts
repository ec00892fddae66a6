import { deepEqual, equal, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import pino from 'pino'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { verifyLedger } from '../../src/proof/verify.ts'
import { createPartner } from '../../src/partners/create-partner.ts'
import { serve } from '../../src/serve.ts'
import { openStore } from '../../src/stores/open.ts'
import { anAwardBody, createClient, send } from '../support/client.ts'
import { assertUnavailable, privateFields } from '../support/problem-assertions.ts'
import { temporaryFolder } from '../support/service.ts'

/** In the shell's blocks of 512 bytes: enough for the tables and a number of awards, then the kernel refuses. */
const fileBlocksMax = 1500
const awardsMax = 2000

const environment = {
  PORT: '0',
  OPERATOR_PORT: '0',
  DATABASE_URL: `sqlite:${join(temporaryFolder({ after }), 'ledger.db')}`,
  MASTER_KEY: randomBytes(32).toString('base64'),
}
const config = readConfig(environment)

/** The service in its own process, whose files cannot grow beyond the limit: a write fails as on a full disk. */
async function serveWithLittleRoom(test: TestContext) {
  const launcher = new URL('../../bin/partner-credit.js', import.meta.url).pathname
  const command = `ulimit -f ${fileBlocksMax} && exec "${process.execPath}" "${launcher}" serve --json`
  const env = { ...process.env, ...environment }
  const child = spawn('sh', ['-c', command], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  test.after(() => void child.kill('SIGKILL'))
  const [line] = await once(child.stdout, 'data')
  return { url: JSON.parse(String(line)).partnerUrl, child }
}

async function partnerKey() {
  const store = await openStore(config.database)
  const operator = { store: store.partners, actor: 'test', now: Date.now() }
  const acme = { partnerId: 'acme', name: 'Acme', tenants: ['t1'], perTx: null, perPartnerDay: null }
  const key = await createPartner(operator, acme, config.masterKey!)
  await store.close()
  return key
}

describe('when the disk takes no more', () => {
  test('an award is 503 with Retry-After, nothing accepted is lost, and with room again it is credited', async (test) => {
    const key = await partnerKey()
    const { url, child } = await serveWithLittleRoom(test)
    const acme = createClient(url, key, systemClock)
    const accepted: string[] = []
    let order = anAwardBody()
    let answer = await acme.award(order)
    while (answer.status === 202 && accepted.length < awardsMax) {
      accepted.push(answer.body.epTransactionId)
      order = anAwardBody(privateFields)
      answer = await acme.award(order)
    }
    ok(accepted.length > 0, 'the limit is too low for a single award')
    assertUnavailable(answer)
    assertUnavailable(await acme.award(order))
    equal((await send(`${url}/livez`)).status, 200)
    assertUnavailable(await send(`${url}/readyz`))
    equal((await acme.history('t1', '&limit=1')).body.items[0].epTransactionId, accepted.at(-1))
    child.kill('SIGTERM')
    await once(child, 'exit')

    const store = await openStore(config.database)
    const snapshot = await store.snapshot()
    const { sound, entries } = await verifyLedger(snapshot, () => {})
    await snapshot.close()
    await store.close()
    deepEqual({ sound, entries }, { sound: true, entries: accepted.length })

    const roomy = await serve(config, { log: pino({ enabled: false }) })
    test.after(() => roomy.stop())
    const again = createClient(roomy.partnerUrl, key, systemClock)
    equal((await again.award(order)).status, 202)
    equal((await again.award(order)).body.code, 'DUPLICATE')
  })
})
