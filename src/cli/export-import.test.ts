import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import {
  aFolder,
  complaintOf,
  database,
  documentOf,
  runCommand,
  textOf,
} from '../../test/support/command-line.ts'
import { aMasterKey } from '../../test/support/operators.ts'
import { temporaryFolder } from '../../test/support/service.ts'
import { anOrder, openSqliteLedger } from '../../test/support/sqlite-ledger.ts'

/** A folder with a ledger of two awards, its server stopped. */
async function awarded(t: TestContext) {
  const cwd = temporaryFolder(t)
  const ledger = await openSqliteLedger(t, join(cwd, database))
  for (const order of ['A1', 'A2']) await ledger.store.ledger.award(anOrder(order))
  await ledger.close()
  const environment = { MASTER_KEY: Buffer.from(aMasterKey).toString('base64') }
  const run = (...args: string[]) => runCommand(args, { cwd, environment })
  return { cwd, environment, run, exported: (name: string) => readFileSync(join(cwd, name), 'utf8') }
}

const elsewhere = ['--database-url', 'sqlite:new/ledger.db']
const counts = {
  defaults: 1,
  tenant: 2,
  partner: 2,
  grant: 3,
  key: 2,
  operator: 0,
  token: 0,
  keepsake: 0,
  audit: 5,
  entry: 2,
}

describe('carrying a ledger to another database', { concurrency: 3 }, () => {
  test('export writes a file for its owner only, import loads and proves it', async (t) => {
    const { cwd, run, exported } = await awarded(t)
    const text = textOf(await run('export', '--out', 'ledger.ndjson'))
    assert.equal(text, 'exported 2 entries, 2 partners and 2 tenants to ledger.ndjson\n')
    assert.equal(statSync(join(cwd, 'ledger.ndjson')).mode & 0o777, 0o600)

    const imported = textOf(await run('import', 'ledger.ndjson', ...elsewhere))
    assert.match(
      imported,
      /^imported 2 entries, 2 partners and 2 tenants\nsound: 2 entries in 1 account, [^\n]+\n/,
    )
    assert.match(imported, /master key/)
    const again = await run('export', ...elsewhere)
    assert.equal(again.stdout, exported('ledger.ndjson'), 'on standard output, the same bytes')
    assert.deepEqual([again.code, again.stderr], [0, ''])
  })

  test('both speak JSON, and import reads standard input', async (t) => {
    const { cwd, environment, run, exported } = await awarded(t)
    assert.deepEqual(documentOf(await run('export', '--out', 'ledger.ndjson', '--json')), counts)
    const args = ['import', '-', ...elsewhere, '--json']
    const imported = documentOf(
      await runCommand(args, { cwd, environment, input: exported('ledger.ndjson') }),
    )
    const verification = { sound: true, entries: 2, accounts: 1, userDays: 1, fault: null }
    assert.deepEqual(imported, { counts, verification })
  })

  test('export never writes over a file', async (t) => {
    const { cwd, run, exported } = await awarded(t)
    writeFileSync(join(cwd, 'letter.txt'), 'Dear all')
    assert.match(complaintOf(await run('export', '--out', 'letter.txt'), 1), /letter\.txt exists already/)
    assert.equal(exported('letter.txt'), 'Dear all')
  })

  test('export makes no file of a ledger that is not sound', async (t) => {
    const { cwd, run } = await awarded(t)
    const raw = new DatabaseSync(join(cwd, database))
    raw.exec('DROP TRIGGER entries_are_never_deleted; DELETE FROM entries WHERE seq = 2')
    raw.close()
    const [toFile, toOutput] = await Promise.all([run('export', '--out', 'ledger.ndjson'), run('export')])
    assert.match(complaintOf(toFile, 1), /nothing was exported.*acme\/t1: ends at #1 where its head says #2/)
    assert.match(complaintOf(toOutput, 1), /nothing was exported/)
    assert.equal(existsSync(join(cwd, 'ledger.ndjson')), false)
  })

  test('export --json without --out is a usage error, exit code 2', async (t) => {
    const { run } = await aFolder(t)
    assert.match(complaintOf(await run('export', '--json'), 2), /--json needs --out/)
  })

  test('import names the line of a damaged file, exit code 1, and can be run again', async (t) => {
    const { cwd, run, exported } = await awarded(t)
    await run('export', '--out', 'ledger.ndjson')
    writeFileSync(
      join(cwd, 'damaged.ndjson'),
      exported('ledger.ndjson').replace('"orderId":"A2"', '"orderId":"A3"'),
    )
    const refused = complaintOf(await run('import', 'damaged.ndjson', ...elsewhere), 1)
    assert.match(refused, /nothing was imported: line \d+: acme\/t1 #2 .*hash does not match/)
    assert.equal((await run('import', 'ledger.ndjson', ...elsewhere)).code, 0)
    assert.match(complaintOf(await run('import', 'ledger.ndjson', ...elsewhere), 1), /is not empty/)
  })

  test('both need the master key of the ledger, and make no other', async (t) => {
    const { cwd, run } = await awarded(t)
    await run('export', '--out', 'ledger.ndjson')
    const without = (...args: string[]) => runCommand(args, { cwd })
    assert.match(
      complaintOf(await without('export'), 1),
      /data\/master\.key is missing: restore .* or set MASTER_KEY/,
    )
    const missing = complaintOf(await without('import', 'ledger.ndjson', ...elsewhere), 1)
    assert.match(missing, /new\/master\.key is missing/)
    assert.deepEqual(readdirSync(cwd).sort(), ['data', 'ledger.ndjson'])
    assert.equal(existsSync(join(cwd, 'data/master.key')), false)

    const environment = { MASTER_KEY: Buffer.alloc(32, 9).toString('base64') }
    const other = await runCommand(['import', 'ledger.ndjson', ...elsewhere], { cwd, environment })
    assert.match(complaintOf(other, 1), /nothing was imported: line 1: .*another master key/)
    assert.equal(existsSync(join(cwd, 'new/ledger.db')), false, 'nor a database')
  })

  test('a file of the first format is loaded only if that is asked for, and loudly', async (t) => {
    const { cwd, run, exported } = await awarded(t)
    await run('export', '--out', 'ledger.ndjson')
    const lines = exported('ledger.ndjson').trimEnd().split('\n')
    const format1 = lines
      .filter((line) => !/"kind":"(audit|defaults)"/.test(line))
      .map((line) => line.replace('"mode":"live",', ''))
      .with(0, '{"format":"partner-credit export","version":1}')
    const closing = { ...JSON.parse(format1.at(-1)!), mac: undefined, defaults: undefined, audit: 0 }
    const text = format1
      .slice(0, -1)
      .map((line) => `${line}\n`)
      .join('')
    const sha256 = createHash('sha256').update(text).digest('hex')
    writeFileSync(join(cwd, 'old.ndjson'), `${text}${JSON.stringify({ ...closing, sha256 })}\n`)
    const refused = complaintOf(await run('import', 'old.ndjson', ...elsewhere), 1)
    assert.match(refused, /line 1: this is version 1 .*--accept-format-1/)
    const { code, stdout, stderr } = await run('import', 'old.ndjson', '--accept-format-1', ...elsewhere)
    assert.equal(code, 0, stderr)
    assert.match(stderr, /^partner-credit: NOTE: a file in format 1 does not prove who wrote it/)
    assert.match(stdout, /^imported 2 entries/)
    const proven = [
      'import',
      'ledger.ndjson',
      '--accept-format-1',
      '--database-url',
      'sqlite:third/ledger.db',
    ]
    assert.deepEqual(await run(...proven).then(({ code, stderr }) => [code, stderr]), [0, ''])
  })

  test('import refuses a ledger that is being served', async (t) => {
    const { cwd, run } = await awarded(t)
    await run('export', '--out', 'ledger.ndjson')
    await openSqliteLedger(t, join(cwd, 'served.db'))
    const served = ['--database-url', 'sqlite:served.db']
    assert.match(complaintOf(await run('import', 'ledger.ndjson', ...served), 1), /another server is running/)
  })

  test('import makes no database where there is no file', async (t) => {
    const cwd = temporaryFolder(t)
    assert.match(complaintOf(await runCommand(['import', 'typo.ndjson'], { cwd }), 1), /typo\.ndjson/)
    assert.deepEqual(readdirSync(cwd), [])
  })

  test('migrate makes an embedded ledger, and finds nothing missing in it', async (t) => {
    const cwd = temporaryFolder(t)
    const first = documentOf(await runCommand(['migrate', '--json'], { cwd }))
    assert.deepEqual(first, { migrated: readdirSync('src/stores/sqlite/migrations') })
    assert.match(textOf(await runCommand(['migrate'], { cwd })), /^nothing to migrate$/m)
    const { stderr } = await runCommand(['migrate'], { cwd, environment: { CAP_PER_TX: '5' } })
    assert.match(stderr, /CAP_\* is not stored in it by migrate: set CAP_\* for its first server/)
  })
})
