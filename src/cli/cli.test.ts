import assert from 'node:assert/strict'
import { existsSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import {
  aFolder,
  database,
  documentOf,
  textOf,
  complaintOf,
  runCommand,
} from '../../test/support/command-line.ts'
import { makePartner } from '../../test/support/operators.ts'
import { temporaryFolder } from '../../test/support/service.ts'
import { anOrder, openSqliteLedger } from '../../test/support/sqlite-ledger.ts'
import { openSqlite } from '../stores/sqlite/open.ts'

const secretOrHash = /pcs_|pck_|sealed|secret|hash/i

describe('the commands', { concurrency: 3 }, () => {
  describe('partner create', () => {
    test('makes a partner, its tenants and a first key in a folder where there was nothing, and prints the key once', async (t) => {
      const cwd = temporaryFolder(t)
      const caps = ['--per-tx', '5', '--per-partner-day', 'default']
      const made = documentOf(
        await runCommand(
          [
            'partner',
            'create',
            '--id',
            'acme',
            '--name',
            'Acme',
            '--tenant',
            't1',
            '--tenant',
            't2',
            ...caps,
            '--json',
          ],
          { cwd },
        ),
      )
      assert.deepEqual(Object.keys(made).toSorted(byText), ['apiKey', 'keyId', 'partnerId', 'signingSecret'])
      assert.equal(made.partnerId, 'acme')
      assert.match(made.apiKey, /^pck_/)
      assert.match(made.signingSecret, /^pcs_/)
      assert.equal(statSync(join(cwd, 'data/master.key')).mode & 0o777, 0o600)
      const store = openSqlite(join(cwd, database))
      t.after(() => store.close())
      const [acme] = await store.partners.partners()
      assert.deepEqual([acme!.perTx, acme!.perPartnerDay], [5, null])
      assert.deepEqual(
        (await store.partners.tenants()).map(({ tenantId }) => tenantId),
        ['t1', 't2'],
      )
    })

    test('prints for people the lines to paste: the address, the key, the secret and a tenant to try', async (t) => {
      const { run } = await aFolder(t)
      const text = textOf(
        await run('partner', 'create', '--id', 'globex', '--name', 'Globex', '--tenant', 't1'),
      )
      assert.match(text, /Created key key_\w+ for globex\. The secret is shown only once/)
      assert.match(text, /^A server that is running accepts the key within a second\.$/m)
      assert.match(text, /^export BASE_URL=http:\/\/127\.0\.0\.1:8080$/m)
      assert.match(text, /^export API_KEY=pck_[\w-]+$/m)
      assert.match(text, /^export SIGNING_SECRET=pcs_[\w-]+$/m)
      assert.match(text, /^export TENANT_ID=t1$/m)
      assert.doesNotMatch(text, /sandbox/)
      const tenants = ['--tenant', 't1', '--sandbox-tenant', 't1-test']
      const other = textOf(await run('partner', 'create', '--id', 'initech', '--name', 'Initech', ...tenants))
      assert.match(
        other,
        /TENANT_ID is a sandbox tenant, for tests: its awards do not count\.\n\n(.*\n){3}export TENANT_ID=t1-test$/m,
      )
    })

    test('refuses a partner that exists, with exit code 1', async (t) => {
      const { run } = await aFolder(t)
      const result = await run('partner', 'create', '--id', 'acme', '--name', 'X', '--tenant', 't1', '--json')
      assert.match(complaintOf(result, 1), /"acme" exists already; .*secret.* key create acme$/m)
    })

    test('refuses to seal a secret under another master key than the database has', async (t) => {
      const { cwd, partners } = await aFolder(t)
      const environment = { MASTER_KEY: Buffer.alloc(32).toString('base64') }
      const args = ['partner', 'create', '--id', 'globex', '--name', 'X', '--tenant', 't1']
      assert.match(complaintOf(await runCommand(args, { cwd, environment }), 1), /MASTER_KEY/)
      assert.equal((await partners()).length, 1)
    })
  })

  describe('partner list and show', () => {
    test('list tells of every partner and of no secret', async (t) => {
      const { run, json, acme, operator } = await aFolder(t)
      await makePartner(operator, { partnerId: 'globex', name: 'Globex' })
      const [text, document] = await Promise.all([run('partner', 'list'), json('partner', 'list')])
      const lines = textOf(text).trimEnd().split('\n')
      assert.match(lines[0]!, /^partner +name +status +tenants +keys$/)
      assert.match(lines[1]!, /^acme +Acme +active +t1 t2 +1$/)
      assert.match(lines[2]!, /^globex +Globex +active +t1 +1$/)
      assert.deepEqual(
        document.map(({ partnerId }: { partnerId: string }) => partnerId),
        ['acme', 'globex'],
      )
      assert.doesNotMatch(JSON.stringify(document), secretOrHash)
      assert.doesNotMatch(text.stdout, secretOrHash)
      assert.equal(JSON.stringify(document).includes(acme.keyId), true)
    })

    test('show tells all of one partner, and no secret', async (t) => {
      const { run, json, acme } = await aFolder(t)
      const [text, document] = await Promise.all([
        run('partner', 'show', 'acme'),
        json('partner', 'show', 'acme'),
      ])
      assert.match(textOf(text), /^acme \(Acme\) is active; requests per second: no limit$/m)
      assert.match(text.stdout, /^everywhere +10000 \(default\) +1000000 \(default\)$/m)
      assert.match(text.stdout, new RegExp(`^${acme.keyId} +2026-01-02T03:04:05.678Z +never +-$`, 'm'))
      const byDefault = { from: 'default', change: null }
      const caps = {
        perTx: { limit: 10_000, ...byDefault },
        perPartnerDay: { limit: 1_000_000, ...byDefault },
        perUserDay: { limit: 20_000, ...byDefault },
      }
      assert.deepEqual(document, {
        partnerId: 'acme',
        name: 'Acme',
        status: 'active',
        perTx: null,
        perPartnerDay: null,
        requestsPerSecond: null,
        createdAt: '2026-01-02T03:04:05.678Z',
        grants: [
          { tenantId: 't1', perTx: null, perPartnerDay: null, mode: 'live', caps },
          { tenantId: 't2', perTx: null, perPartnerDay: null, mode: 'live', caps },
        ],
        keys: [
          {
            keyId: acme.keyId,
            createdAt: '2026-01-02T03:04:05.678Z',
            expiresAt: null,
            revokedAt: null,
            lastUsedAt: null,
            clockDifferenceMs: null,
          },
        ],
      })
      assert.doesNotMatch(text.stdout, secretOrHash)
    })

    test('an empty ledger says what comes next', async (t) => {
      const cwd = temporaryFolder(t)
      await openSqlite(join(cwd, 'elsewhere/my.db')).close()
      const environment = { DATABASE_URL: 'sqlite:./elsewhere/my.db' }
      const [list, tenants] = await Promise.all([
        runCommand(['partner', 'list'], { cwd, environment }),
        runCommand(['tenant', 'list'], { cwd, environment }),
      ])
      assert.equal(textOf(list), 'no partners yet; create one with: partner create\n')
      assert.equal(textOf(tenants), 'no tenants yet; create one with: partner create --tenant\n')
    })

    test('a ledger that is not there is not made by a slip in its name, and above all not called sound', async (t) => {
      const cwd = temporaryFolder(t)
      const results = await Promise.all(
        [['partner', 'list'], ['verify'], ['key', 'create', 'acme']].map((args) => runCommand(args, { cwd })),
      )
      for (const result of results) assert.match(complaintOf(result, 1), /there is no ledger at .*data/)
      assert.equal(existsSync(join(cwd, 'data')), false)
    })
  })

  describe('what an operator changes', () => {
    test('suspend and resume', async (t) => {
      const { run, json, partners } = await aFolder(t)
      assert.equal((await json('partner', 'suspend', 'acme')).status, 'suspended')
      assert.match(textOf(await run('partner', 'show', 'acme')), /acme \(Acme\) is suspended/)
      assert.match(textOf(await run('partner', 'resume', 'acme')), /acme \(Acme\) is active/)
      assert.equal((await partners())[0]!.status, 'active')
    })

    test('caps, everywhere and in one tenant, set and back to default', async (t) => {
      const { run, json } = await aFolder(t)
      const everywhere = await json('partner', 'caps', 'acme', '--per-tx', '7', '--per-partner-day', '700')
      assert.deepEqual([everywhere.perTx, everywhere.perPartnerDay], [7, 700])
      const inTenant = await json('partner', 'caps', 'acme', '--tenant', 't2', '--per-tx', '0')
      assert.deepEqual(Object.values(inTenant.grants[1]), ['t2', 0, null, 'live'])
      const text = textOf(await run('partner', 'caps', 'acme', '--per-partner-day', 'default'))
      assert.match(text, /^everywhere +7 +1000000 \(default\)$/m)
      assert.match(text, /^t1 +7 \(everywhere\) +1000000 \(default\)$/m)
      assert.match(text, /^t2 +0 +1000000 \(default\)$/m)
    })

    test('allow and deny', async (t) => {
      const { run, json, tenants } = await aFolder(t)
      const allowed = await json('partner', 'allow', 'acme', '--tenant', 't3')
      assert.equal(allowed.grants.length, 3)
      assert.equal((await tenants()).length, 3)
      assert.doesNotMatch(textOf(await run('partner', 'deny', 'acme', '--tenant', 't1')), /^t1/m)
      assert.deepEqual(
        (await json('partner', 'deny', 'acme', '--tenant', 't3')).grants.map(
          (g: { tenantId: string }) => g.tenantId,
        ),
        ['t2'],
      )
    })

    test('rate', async (t) => {
      const { run, json } = await aFolder(t)
      assert.equal((await json('partner', 'rate', 'acme', '--per-second', '50')).requestsPerSecond, 50)
      assert.match(
        textOf(await run('partner', 'rate', 'acme', '--per-second', 'default')),
        /per second: no limit/,
      )
    })

    test('defaults: shown, set one by one, and what falls back to them follows', async (t) => {
      const { run, json } = await aFolder(t)
      const builtIn = { perTx: 10_000, perPartnerDay: 1_000_000, perUserDay: 20_000, setAt: null }
      assert.deepEqual(await json('defaults', 'show'), builtIn)
      const set = await json('defaults', 'caps', '--per-tx', '5', '--per-user-day', '0')
      assert.deepEqual({ ...set, setAt: null }, { ...builtIn, perTx: 5, perUserDay: 0 })
      assert.match(set.setAt, /^\d{4}-/)
      assert.match(textOf(await run('defaults', 'show')), new RegExp(`^5 +1000000 +0 +${set.setAt}$`, 'm'))
      assert.match(textOf(await run('partner', 'show', 'acme')), /^t1 +5 \(default\)/m)
      assert.match(complaintOf(await run('defaults', 'caps'), 2), /specify at least one of --per-tx/)
      assert.match(complaintOf(await run('defaults', 'caps', '--per-tx', 'default'), 2), /whole EP/)
    })

    test('is written down with who did it, where and why', async (t) => {
      const { run, cwd } = await aFolder(t)
      await run('partner', 'suspend', 'acme', '--reason', 'ticket 7')
      const raw = new DatabaseSync(join(cwd, database))
      const row = raw.prepare('SELECT * FROM audit ORDER BY audit_seq DESC').get()!
      raw.close()
      assert.deepEqual([row.action, row.reason, row.origin], ['partner suspend', 'ticket 7', 'command line'])
      assert.match(String(row.actor), /^cli:.+/)
      assert.equal(row.address, hostname())
    })

    test('a reason that a terminal would obey is refused, and nothing is changed', async (t) => {
      const { run, partners } = await aFolder(t)
      const refused = await run('partner', 'suspend', 'acme', '--reason', 'a\u001b[2Jb')
      assert.match(complaintOf(refused, 1), /the reason must not have control characters/)
      assert.equal((await partners())[0]!.status, 'active')
    })
  })

  describe('verify', () => {
    async function awarded(t: TestContext) {
      const cwd = temporaryFolder(t)
      const ledger = await openSqliteLedger(t, join(cwd, database))
      for (const order of ['A1', 'A2']) await ledger.store.ledger.award(anOrder(order))
      return { cwd, ledger }
    }

    test('says sound, exit code 0, beside a running server', async (t) => {
      const { cwd } = await awarded(t)
      const [text, document] = await Promise.all([
        runCommand(['verify'], { cwd }),
        runCommand(['verify', '--json'], { cwd }),
      ])
      assert.match(textOf(text), /^sound: 2 entries in 1 account, 1 user day; [^\n]*\n$/)
      assert.deepEqual(documentOf(document), {
        sound: true,
        entries: 2,
        accounts: 1,
        userDays: 1,
        fault: null,
      })
    })

    test('names the first fault, exit code 1, with a user’s address nowhere', async (t) => {
      const { cwd, ledger } = await awarded(t)
      await ledger.close()
      const raw = new DatabaseSync(join(cwd, database))
      raw.exec("DROP TRIGGER entries_are_never_changed; UPDATE entries SET note = 'x' WHERE seq = 2")
      raw.close()
      const [text, document] = await Promise.all([
        runCommand(['verify'], { cwd }),
        runCommand(['verify', '--json'], { cwd }),
      ])
      assert.deepEqual([text.code, document.code], [1, 1])
      assert.match(text.stdout, /^NOT SOUND: acme\/t1 #2 .*its hash does not match[^\n]*\n$/)
      const { sound, fault } = JSON.parse(document.stdout)
      assert.equal(sound, false)
      assert.match(fault, /^acme\/t1 #2 /)
      assert.doesNotMatch(text.stdout + document.stdout, /@/)
    })
  })
})

function byText(a: string, b: string): number {
  return a < b ? -1 : 1
}
