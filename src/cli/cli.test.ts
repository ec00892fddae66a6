import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type CommandResult, runCommand } from '../../test/support/command-line.ts'
import { makePartner } from '../../test/support/operators.ts'
import { temporaryFolder } from '../../test/support/service.ts'
import { anOrder, openSqliteLedger } from '../../test/support/sqlite-ledger.ts'
import { masterKeyFromFile, proveMasterKey } from '../access/master-key.ts'
import { sign } from '../access/signature.ts'
import { createKey } from '../partners/create-key.ts'
import { createPartner } from '../partners/create-partner.ts'
import { openSqlite } from '../stores/sqlite/open.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))
const database = 'data/partner-credit.db'

/** A folder as it is after first use: a ledger in its usual place, with acme (t1, t2) and its key. */
async function aFolder(test: TestContext) {
  const cwd = temporaryFolder(test)
  const store = openSqlite(join(cwd, database))
  const masterKey = masterKeyFromFile(join(cwd, 'data/master.key'))
  await proveMasterKey(store.partners, masterKey)
  const operator = { store: store.partners, actor: 'test', now: Date.parse('2026-01-02T03:04:05.678Z') }
  const partner = { partnerId: 'acme', name: 'Acme', tenants: ['t1', 't2'], perTx: null, perPartnerDay: null }
  const acme = await createPartner(operator, partner, masterKey)
  test.after(() => store.close())
  return {
    cwd,
    acme,
    operator,
    masterKey,
    run: (...args: string[]) => runCommand(args, { cwd }),
    /** Runs it as a script does; gives the one JSON document it printed. */
    json: async (...args: string[]) => documentOf(await runCommand([...args, '--json'], { cwd })),
    partners: () => store.partners.partners(),
    tenants: () => store.partners.tenants(),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a test says itself, by its assertions, what the document must be
function documentOf({ code, stdout, stderr }: CommandResult): any {
  assert.equal(stderr, '')
  assert.equal(code, 0)
  return JSON.parse(stdout)
}

function textOf({ code, stdout, stderr }: CommandResult): string {
  assert.equal(stderr, '')
  assert.equal(code, 0)
  assert.throws(() => JSON.parse(stdout), 'text for people is no JSON')
  assert.doesNotMatch(stdout, /\u001b/, 'no colours where nobody sees them')
  return stdout
}

/** One line on standard error, nothing on standard output. */
function complaintOf({ code, stdout, stderr }: CommandResult, expectedCode: number): string {
  assert.equal(code, expectedCode, stderr)
  assert.equal(stdout, '')
  assert.match(stderr, /^partner-credit: [^\n]+\n$/, 'one line')
  return stderr
}

const secretOrHash = /pcs_|pck_|sealed|secret|hash/i

describe('the command line', { concurrency: 3 }, () => {
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

    test('prints for people the two lines to paste', async (t) => {
      const { run } = await aFolder(t)
      const text = textOf(
        await run('partner', 'create', '--id', 'globex', '--name', 'Globex', '--tenant', 't1'),
      )
      assert.match(text, /globex has the key key_\w+\. The secret is shown once/)
      assert.match(text, /^export API_KEY=pck_[\w-]+$/m)
      assert.match(text, /^export SIGNING_SECRET=pcs_[\w-]+$/m)
    })

    test('refuses a partner that exists, with exit code 1', async (t) => {
      const { run } = await aFolder(t)
      const result = await run('partner', 'create', '--id', 'acme', '--name', 'X', '--tenant', 't1', '--json')
      assert.match(complaintOf(result, 1), /"acme" exists already/)
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
      assert.match(textOf(text), /^acme \(Acme\) is active; requests a second: no limit$/m)
      assert.match(text.stdout, /^everywhere +default +default$/m)
      assert.match(text.stdout, new RegExp(`^${acme.keyId} +2026-01-02T03:04:05.678Z +never +-$`, 'm'))
      assert.deepEqual(document, {
        partnerId: 'acme',
        name: 'Acme',
        status: 'active',
        perTx: null,
        perPartnerDay: null,
        requestsPerSecond: null,
        createdAt: '2026-01-02T03:04:05.678Z',
        grants: [
          { tenantId: 't1', perTx: null, perPartnerDay: null },
          { tenantId: 't2', perTx: null, perPartnerDay: null },
        ],
        keys: [
          { keyId: acme.keyId, createdAt: '2026-01-02T03:04:05.678Z', expiresAt: null, revokedAt: null },
        ],
      })
      assert.doesNotMatch(text.stdout, secretOrHash)
    })

    test('an empty database says what comes next', async (t) => {
      const cwd = temporaryFolder(t)
      const environment = { DATABASE_URL: 'sqlite:./elsewhere/my.db' }
      const [list, tenants] = [
        await runCommand(['partner', 'list'], { cwd, environment }),
        await runCommand(['tenant', 'list'], { cwd, environment }),
      ]
      assert.equal(textOf(list), 'no partners yet: partner create makes one\n')
      assert.equal(textOf(tenants), 'no tenants yet: partner create --tenant makes them\n')
      assert.equal(existsSync(join(cwd, 'elsewhere/my.db')), true)
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
      assert.deepEqual(inTenant.grants[1], { tenantId: 't2', perTx: 0, perPartnerDay: null })
      const text = textOf(await run('partner', 'caps', 'acme', '--per-partner-day', 'default'))
      assert.match(text, /^everywhere +7 +default$/m)
      assert.match(text, /^t2 +0 +default$/m)
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
        /a second: no limit/,
      )
    })

    test('tenant list and caps', async (t) => {
      const { run, json } = await aFolder(t)
      const changed = await json('tenant', 'caps', 't1', '--per-user-day', '500')
      assert.deepEqual([changed.tenantId, changed.perUserDay], ['t1', 500])
      const [text, list] = await Promise.all([run('tenant', 'list'), json('tenant', 'list')])
      assert.match(textOf(text), /^t1 +500 +2026-01-02T/m)
      assert.match(text.stdout, /^t2 +default +2026-01-02T/m)
      assert.deepEqual(
        list.map((tenant: { perUserDay: number | null }) => tenant.perUserDay),
        [500, null],
      )
      assert.match(textOf(await run('tenant', 'caps', 't1', '--per-user-day', 'default')), /^t1 +default/m)
    })

    test('is written down with who did it', async (t) => {
      const { run, cwd } = await aFolder(t)
      await run('partner', 'suspend', 'acme')
      const raw = new DatabaseSync(join(cwd, database))
      const row = raw.prepare('SELECT actor, action FROM audit ORDER BY audit_id DESC').get()!
      raw.close()
      assert.equal(row.action, 'partner suspend')
      assert.match(String(row.actor), /^cli:.+/)
    })
  })

  describe('key', () => {
    test('create prints the new key and secret; list never does', async (t) => {
      const { run, json, acme } = await aFolder(t)
      const issued = await json('key', 'create', 'acme')
      assert.match(issued.signingSecret, /^pcs_/)
      assert.match(textOf(await run('key', 'create', 'acme')), /^export SIGNING_SECRET=pcs_/m)
      const [text, list] = await Promise.all([run('key', 'list', 'acme'), json('key', 'list', 'acme')])
      assert.equal(list.length, 3)
      assert.deepEqual(Object.keys(list[0]), ['keyId', 'createdAt', 'expiresAt', 'revokedAt'])
      for (const id of [acme.keyId, issued.keyId]) assert.ok(textOf(text).includes(id))
      assert.doesNotMatch(text.stdout + JSON.stringify(list), secretOrHash)
    })

    test('revoke ends one key', async (t) => {
      const { run, json, acme, operator, masterKey, partners } = await aFolder(t)
      const second = await createKey(operator, 'acme', masterKey)
      const revoked = await json('key', 'revoke', acme.keyId)
      assert.deepEqual([revoked.partnerId, revoked.keyId], ['acme', acme.keyId])
      assert.match(revoked.revokedAt, /^\d{4}-/)
      assert.match(
        textOf(await run('key', 'revoke', acme.keyId)),
        new RegExp(`${acme.keyId} .*${revoked.revokedAt}`),
      )
      const { keys } = (await partners())[0]!
      assert.equal(keys.find(({ keyId }) => keyId === second.keyId)!.revokedAt, null)
    })

    test('rotate prints a new key, and the old one ends after the overlap', async (t) => {
      const { run, json, acme, partners } = await aFolder(t)
      const before = Date.now()
      const issued = await json('key', 'rotate', 'acme', '--overlap', '24h')
      const { keys } = (await partners())[0]!
      const { expiresAt } = keys.find(({ keyId }) => keyId === acme.keyId)!
      const day = 86_400_000
      assert.ok(expiresAt! >= before + day && expiresAt! <= Date.now() + day)
      assert.equal(keys.find(({ keyId }) => keyId === issued.keyId)!.expiresAt, null)
      assert.match(textOf(await run('key', 'rotate', 'acme', '--overlap', '0')), /^export API_KEY=pck_/m)
    })
  })

  describe('verify', () => {
    async function awarded(t: TestContext) {
      const cwd = temporaryFolder(t)
      const ledger = await openSqliteLedger(t, join(cwd, database))
      for (const order of ['A1', 'A2']) await ledger.writer.award(anOrder(order))
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

  describe('sign', () => {
    const secret = 'pcs_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTEyMzQ'
    const environment = { API_KEY: 'pck_1', SIGNING_SECRET: secret }
    const body = '{"tenantId":"t1","orderId":"A1","userEmail":"lan@example.vn","amount":5000}'
    // Made with OpenSSL: see src/access/signature.test.ts.
    const headers = {
      'X-Api-Key': 'pck_1',
      'X-Timestamp': '1700000000000',
      'X-Signature': '7bcab844a1fa8cc3bb5037aa86b450cdde5b0362a7118fba654654981dcfa495',
    }
    const historySignature = 'c936efd7766c8bfbdd9a5a24b3483799c1065352b984032010ee7fe8db360636'
    const at = ['--timestamp', '1700000000000']

    test('prints the headers that OpenSSL would make, of text, of a file and of standard input', async (t) => {
      const cwd = temporaryFolder(t)
      writeFileSync(join(cwd, 'award.json'), body)
      const keys = ['--api-key', 'pck_1', '--signing-secret', secret]
      const [data, file, input] = await Promise.all([
        runCommand(['sign', '--data', body, ...at, ...keys, '--json'], { cwd }),
        runCommand(['sign', '--body', 'award.json', ...at, '--json'], { cwd, environment }),
        runCommand(['sign', '--body', '-', ...at, '--json'], { cwd, environment, input: body }),
      ])
      for (const result of [data, file, input]) assert.deepEqual(documentOf(result).headers, headers)
      assert.match(documentOf(file).curl, /--data-binary '@award.json'$/)
      assert.ok(documentOf(data).curl.endsWith(`--data-binary '${body}'`))
      assert.equal(existsSync(join(cwd, 'data')), false, 'it works offline: no database is made')
    })

    test('signs a history request', async (t) => {
      const cwd = temporaryFolder(t)
      const document = documentOf(
        await runCommand(['sign', '--tenant', 't1', ...at, '--json'], { cwd, environment }),
      )
      assert.equal(document.headers['X-Signature'], historySignature)
      assert.match(document.curl, /awards\?tenantId=t1'/)
    })

    test('prints for people the three headers and a curl that a shell reads as it was meant', async (t) => {
      const cwd = temporaryFolder(t)
      writeFileSync(join(cwd, '.env'), 'API_KEY=pck_1\nSIGNING_SECRET=pcs_1\n')
      const tricky = `{"note":"it's $HOME \`x\` \\"q\\""}`
      const text = textOf(await runCommand(['sign', '--data', tricky, '--url', 'http://h:1'], { cwd }))
      const [, timestamp] = /^X-Timestamp: (\d{13})$/m.exec(text) ?? []
      const signature = sign('pcs_1', timestamp!, tricky)
      assert.match(text, /^X-Api-Key: pck_1$/m)
      assert.ok(text.includes(`X-Signature: ${signature}\n`))
      // The shell itself says what curl would be given.
      const curl = text.slice(text.indexOf('curl '))
      const given = execFileSync('/bin/sh', ['-c', `curl() { printf '%s\\n' "$@"; }; ${curl}`], {
        encoding: 'utf8',
      })
      assert.deepEqual(given.trimEnd().split('\n'), [
        '-i',
        'http://h:1/v1/ep/webhook',
        '-H',
        'Content-Type: application/json',
        '-H',
        'X-Api-Key: pck_1',
        '-H',
        `X-Timestamp: ${timestamp}`,
        '-H',
        `X-Signature: ${signature}`,
        '--data-binary',
        tricky,
      ])
    })

    test('without a key, or with nothing or two things to sign, is a wrong command', async (t) => {
      const cwd = temporaryFolder(t)
      const results = await Promise.all([
        runCommand(['sign', '--data', '{}'], { cwd }),
        runCommand(['sign'], { cwd, environment }),
        runCommand(['sign', '--data', '{}', '--tenant', 't1'], { cwd, environment }),
      ])
      const [noKey, nothing, two] = results.map((result) => complaintOf(result, 2))
      assert.match(noKey!, /--api-key and --signing-secret are needed/)
      assert.match(nothing!, /give one of --data, --body and --tenant/)
      assert.match(two!, /give one of/)
    })
  })

  describe('a command that is wrong', () => {
    const create = ['partner', 'create', '--id', 'x', '--name', 'X', '--tenant', 't1']
    const wrong: [string, string[], RegExp][] = [
      ['an unknown command', ['verfy'], /unknown command 'verfy'.*Did you mean verify\?/],
      ['an unknown subcommand', ['partner', 'lst'], /unknown command 'lst'.*Did you mean list\?/],
      ['an unknown option', ['verify', '--jsn'], /unknown option '--jsn'.*Did you mean --json\?/],
      [
        'a missing option',
        ['partner', 'create', '--id', 'x'],
        /required option '--name <name>' not specified/,
      ],
      ['a missing argument', ['partner', 'show'], /missing required argument 'id'/],
      ['a cap in words', [...create, '--per-tx', 'lots'], /--per-tx.*whole EP/],
      ['caps without a cap', ['partner', 'caps', 'acme'], /give --per-tx, --per-partner-day or both/],
      [
        'a wrong DATABASE_URL',
        ['verify', '--database-url', 'mysql://me:pw@h/db'],
        /DATABASE_URL must have the form/,
      ],
    ]
    for (const [what, args, expected] of wrong) {
      test(`(${what}) is told in words, exit code 2, and makes nothing`, async (t) => {
        const cwd = temporaryFolder(t)
        const result = await runCommand(args, { cwd })
        assert.equal(result.code, 2)
        assert.equal(result.stdout, '')
        assert.match(result.stderr, /^partner-credit: /)
        assert.match(result.stderr.replaceAll('\n', ' '), expected)
        assert.doesNotMatch(result.stderr, /pw@|\n {4}at /)
        assert.equal(existsSync(join(cwd, 'data')), false)
      })
    }

    test('no command at all is answered with the help page and exit code 2, --help with exit code 0', async (t) => {
      const cwd = temporaryFolder(t)
      const [nothing, help] = await Promise.all([runCommand([], { cwd }), runCommand(['--help'], { cwd })])
      assert.equal(nothing.code, 2)
      assert.match(nothing.stderr, /^Usage: partner-credit/)
      assert.equal(help.code, 0)
      for (const command of ['serve', 'partner', 'tenant', 'key', 'verify', 'sign'])
        assert.match(help.stdout, new RegExp(`^  ${command} `, 'm'))
    })
  })

  describe('a command that cannot be carried out', () => {
    const impossible: [string[], RegExp][] = [
      [['partner', 'show', 'nobody'], /no partner "nobody": partner list shows them all/],
      [['partner', 'caps', 'acme', '--tenant', 't9', '--per-tx', '1'], /may not use the tenant "t9"/],
      [['partner', 'deny', 'acme', '--tenant', 't9'], /has no tenant "t9"/],
      [['tenant', 'caps', 't9', '--per-user-day', '1'], /no tenant "t9"/],
      [['key', 'revoke', 'key_0'], /no key "key_0"/],
      [['sign', '--body', 'missing.json', '--api-key', 'a', '--signing-secret', 'b'], /missing\.json/],
    ]
    test('is told in one line what to do, exit code 1', async (t) => {
      const { run } = await aFolder(t)
      const results = await Promise.all(impossible.map(([args]) => run(...args)))
      for (const [index, [, expected]] of impossible.entries())
        assert.match(complaintOf(results[index]!, 1), expected)
    })

    test('(what is not a database) is named, and left as it is', async (t) => {
      const cwd = temporaryFolder(t)
      writeFileSync(join(cwd, 'letter.txt'), 'Dear all, '.repeat(100))
      const result = await runCommand(['verify', '--database-url', 'sqlite:letter.txt'], { cwd })
      assert.match(complaintOf(result, 1), /letter\.txt/)
      assert.equal(readFileSync(join(cwd, 'letter.txt'), 'utf8').length, 1000)
    })
  })

  describe('serve', () => {
    test('lists all wrong settings at once, from the environment, the .env file and flags, and serves nothing', async (t) => {
      const cwd = temporaryFolder(t)
      writeFileSync(join(cwd, '.env'), 'CLOCK_WINDOW_MS=0\nCAP_PER_TX=7\n')
      const environment = { PORT: 'abc', MASTER_KEY: 'short' }
      const { code, stdout, stderr } = await runCommand(['serve', '--cap-per-user-day', '-5'], {
        cwd,
        environment,
      })
      assert.equal(code, 2)
      assert.equal(stdout, '')
      const lines = stderr.trimEnd().split('\n')
      assert.equal(lines[0], 'partner-credit: 4 settings are wrong:')
      for (const name of ['PORT', 'MASTER_KEY', 'CLOCK_WINDOW_MS', 'CAP_PER_USER_DAY'])
        assert.equal(lines.filter((line) => line.startsWith(`  ${name} must be`)).length, 1, name)
      assert.equal(lines.length, 5)
      assert.equal(existsSync(join(cwd, 'data')), false)
    })
  })

  describe('the launcher', () => {
    const systemNode = '/usr/bin/node'
    const isOld =
      existsSync(systemNode) &&
      Number(/^v(\d+)/.exec(execFileSync(systemNode, ['--version'], { encoding: 'utf8' }))![1]) < 24
    // Where there is no older Node, the pinned one stands in: the guarantee is that the launcher runs on both.
    const node = isOld ? systemNode : process.execPath

    test('runs on an older Node, with the same output, errors and exit codes', async (t) => {
      const { cwd, acme } = await aFolder(t)
      const [list, wrong, refused] = await Promise.all([
        runCommand(['key', 'list', 'acme', '--json'], { cwd, node }),
        runCommand(['verfy'], { cwd, node }),
        runCommand(['partner', 'show', 'nobody'], { cwd, node }),
      ])
      assert.equal(documentOf(list)[0].keyId, acme.keyId)
      assert.match(complaintOf(wrong, 2), /Did you mean verify/)
      assert.match(complaintOf(refused, 1), /no partner/)
    })

    test('runs from a folder whose name has a space and a percent sign', async (t) => {
      const folder = join(temporaryFolder(t), 'my shop 100%25')
      mkdirSync(folder)
      for (const part of ['bin', 'src', 'package.json'])
        cpSync(join(project, part), join(folder, part), { recursive: true })
      symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'))
      const program = join(folder, 'bin/partner-credit.js')
      const args = ['sign', '--tenant', 't1', '--api-key', 'a', '--signing-secret', 'b', '--json']
      const document = documentOf(await runCommand(args, { cwd: folder, node, program }))
      assert.equal(document.headers['X-Api-Key'], 'a')
    })
  })
})

function byText(a: string, b: string): number {
  return a < b ? -1 : 1
}
