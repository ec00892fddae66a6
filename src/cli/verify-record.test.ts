import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { aFolder, database } from '../../test/support/command-line.ts'
import { lockForServing } from '../stores/sqlite/file/server-lock.ts'
import { readRecord } from '../stores/sqlite/verify-record.ts'

test('a verify that finds the ledger sound records its time beside the database', async (t) => {
  const { cwd, run } = await aFolder(t)
  const path = join(cwd, database)
  assert.equal((await readRecord(path)).verifiedAt, null)
  const before = Date.now()
  assert.equal((await run('verify')).code, 0)
  const verifiedAt = (await readRecord(path)).verifiedAt!
  assert.ok(verifiedAt >= before && verifiedAt <= Date.now())
  assert.equal(existsSync(`${path}-verified.new`), false)
})

test('a verify that finds the ledger not sound records that, and the time of the last sound one stays', async (t) => {
  const { cwd, run } = await aFolder(t)
  const path = join(cwd, database)
  assert.equal((await run('verify')).code, 0)
  const verifiedAt = (await readRecord(path)).verifiedAt
  assert.equal((await readRecord(path)).notSoundAt, null)
  const raw = new DatabaseSync(path)
  raw.exec("UPDATE tenants SET per_user_day = 7 WHERE tenant_id = 't1'")
  const { code, stdout } = await run('verify')
  assert.deepEqual([code, stdout.startsWith('NOT SOUND: ')], [1, true])
  assert.ok((await readRecord(path)).notSoundAt! >= verifiedAt!)
  assert.equal((await readRecord(path)).verifiedAt, verifiedAt)

  raw.exec("UPDATE tenants SET per_user_day = NULL WHERE tenant_id = 't1'")
  raw.close()
  assert.equal((await run('verify')).code, 0)
  assert.equal((await readRecord(path)).notSoundAt, null)
})

test('a sound verify --only-ledger records its time, but does not clear what a whole one found not sound', async (t) => {
  const { path, run } = await aRepairedLedger(t)
  const notSoundAt = (await readRecord(path)).notSoundAt
  assert.notEqual(notSoundAt, null)
  assert.equal((await run('verify', '--only-ledger')).code, 0)
  assert.equal((await readRecord(path)).notSoundAt, notSoundAt)
  assert.notEqual((await readRecord(path)).verifiedAt, null)
  assert.equal((await run('verify')).code, 0)
  assert.equal((await readRecord(path)).notSoundAt, null)
})

test("what SQLite's own check found not sound is not cleared by a verify beside a server, which leaves that check out", async (t) => {
  const { cwd, run } = await aFolder(t)
  const path = join(cwd, database)
  damageIndexOfPartners(path)
  const found = await run('verify')
  assert.match(found.stdout, /^NOT SOUND: SQLite's integrity check says: .*partners_by_change/)
  const { notSoundAt } = await readRecord(path)

  const verifyServed = () => whileServed(path, () => run('verify'))
  const beside = await verifyServed()
  assert.match(beside.stdout, /^sound: /)
  assert.match(beside.stderr, /^The servers still report NOT SOUND: .* while no server runs on it\.$/m)
  assert.equal((await readRecord(path)).notSoundAt, notSoundAt)

  // Another fault that this one does see does not make it forget the first.
  const raw = new DatabaseSync(path)
  raw.exec("UPDATE tenants SET per_user_day = 7 WHERE tenant_id = 't1'")
  assert.equal((await verifyServed()).code, 1)
  raw.exec("UPDATE tenants SET per_user_day = NULL WHERE tenant_id = 't1'; REINDEX")
  raw.close()
  assert.match((await verifyServed()).stderr, /^The servers still report NOT SOUND/)
  assert.deepEqual(await run('verify').then(({ code, stderr }) => [code, stderr]), [0, ''])
  assert.equal((await readRecord(path)).notSoundAt, null)
})

test('what every verify checks is cleared by one beside a server, also if one on a stopped ledger found it', async (t) => {
  const { path, run } = await aRepairedLedger(t)
  const { code, stderr } = await whileServed(path, () => run('verify'))
  assert.deepEqual([code, stderr], [0, ''])
  assert.equal((await readRecord(path)).notSoundAt, null)
})

/** A whole verify found it not sound, and no later one has found it sound yet. */
async function aRepairedLedger(t: TestContext) {
  const { cwd, run } = await aFolder(t)
  const path = join(cwd, database)
  const raw = new DatabaseSync(path)
  raw.exec("UPDATE tenants SET per_user_day = 7 WHERE tenant_id = 't1'")
  assert.equal((await run('verify')).code, 1)
  raw.exec("UPDATE tenants SET per_user_day = NULL WHERE tenant_id = 't1'")
  raw.close()
  return { path, run }
}

async function whileServed<T>(path: string, work: () => Promise<T>): Promise<T> {
  const server = lockForServing(path)
  try {
    return await work()
  } finally {
    server.release()
  }
}

/** As a failing disk could: the index is what it was before the table changed. */
function damageIndexOfPartners(path: string): void {
  const database = new DatabaseSync(path, { defensive: false })
  database.exec(`
    PRAGMA writable_schema = ON;
    CREATE TEMP TABLE kept AS SELECT * FROM sqlite_schema WHERE name = 'partners_by_change';
    DELETE FROM sqlite_schema WHERE name = 'partners_by_change';
    PRAGMA writable_schema = RESET`)
  database.exec(`
    UPDATE partners SET changed_in = changed_in + 1;
    PRAGMA writable_schema = ON;
    INSERT INTO sqlite_schema SELECT * FROM kept`)
  database.close()
}

test('the record can be read by the owner of the database only, also if root ran verify', async (t) => {
  const { cwd, run } = await aFolder(t)
  const path = join(cwd, database)
  const isRoot = process.getuid?.() === 0
  if (isRoot) await chown(path, 65_534, 65_533)
  const owner = await stat(path)
  assert.equal((await run('verify')).code, 0)
  const record = await stat(`${path}-verified`)
  assert.equal(record.mode & 0o777, 0o600)
  assert.deepEqual([record.uid, record.gid], [owner.uid, owner.gid])
})

test('a link that somebody has put in the place of the record is not followed', async (t) => {
  const { cwd, run } = await aFolder(t)
  const [path, other] = [join(cwd, database), join(cwd, 'other')]
  await writeFile(other, 'not ours')
  for (const name of [`${path}-verified`, `${path}-verified.new`]) await symlink(other, name)
  assert.equal((await run('verify')).code, 0)
  assert.equal(await readFile(other, 'utf8'), 'not ours')
  assert.notEqual((await readRecord(path)).verifiedAt, null)

  const lock = `${path}-verified.lock`
  await rm(lock)
  await symlink(join(cwd, 'not there'), lock)
  assert.match((await run('verify')).stderr, /verified\.lock is a link: remove it/)
  assert.equal(existsSync(join(cwd, 'not there')), false)
})

test('while another process records a result, none is recorded beside it; after that one was killed, the next is', async (t) => {
  const { cwd, run } = await aFolder(t)
  const path = join(cwd, database)
  assert.equal((await run('verify', '--only-ledger')).code, 0)
  const { verifiedAt } = await readRecord(path)
  const holding = `new (require('node:sqlite').DatabaseSync)(process.argv[1]).exec('BEGIN EXCLUSIVE'), console.log('held'), setInterval(() => {}, 1000)`
  const other = spawn(process.execPath, ['-e', holding, `${path}-verified.lock`])
  t.after(() => other.kill('SIGKILL'))
  await once(other.stdout, 'data')
  const { code, stderr } = await run('verify', '--only-ledger')
  assert.deepEqual([code, /could not be recorded/.test(stderr)], [0, true])
  assert.equal((await readRecord(path)).verifiedAt, verifiedAt)

  other.kill('SIGKILL')
  await once(other, 'close')
  assert.equal((await run('verify', '--only-ledger')).stderr, '')
  assert.ok((await readRecord(path)).verifiedAt! > verifiedAt!)
})

test('a verify that cannot record its result says so, and succeeds nevertheless', async (t) => {
  const { cwd, run } = await aFolder(t)
  await mkdir(join(cwd, `${database}-verified`))
  const { code, stdout, stderr } = await run('verify')
  assert.equal(code, 0)
  assert.match(stdout, /^sound: /)
  assert.match(stderr, /The result of this verify could not be recorded for the servers: /)
  assert.equal(existsSync(join(cwd, `${database}-verified.new`)), false)
})

test('a pipe in the place of the record is not waited for', async (t) => {
  const { cwd } = await aFolder(t)
  const path = join(cwd, database)
  execFileSync('mkfifo', [`${path}-verified`])
  assert.equal((await readRecord(path)).verifiedAt, null)
})
