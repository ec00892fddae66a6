import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { chown, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { aFolder, database } from '../../test/support/command-line.ts'
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
  const { cwd, run } = await aFolder(t)
  const path = join(cwd, database)
  const raw = new DatabaseSync(path)
  raw.exec("UPDATE tenants SET per_user_day = 7 WHERE tenant_id = 't1'")
  assert.equal((await run('verify')).code, 1)
  raw.exec("UPDATE tenants SET per_user_day = NULL WHERE tenant_id = 't1'")
  raw.close()
  const notSoundAt = (await readRecord(path)).notSoundAt
  assert.notEqual(notSoundAt, null)
  assert.equal((await run('verify', '--only-ledger')).code, 0)
  assert.equal((await readRecord(path)).notSoundAt, notSoundAt)
  assert.notEqual((await readRecord(path)).verifiedAt, null)
  assert.equal((await run('verify')).code, 0)
  assert.equal((await readRecord(path)).notSoundAt, null)
})

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
})

test('the lock of a process that was killed while it recorded a result does not keep the next one from it', async (t) => {
  const { cwd, run } = await aFolder(t)
  const path = join(cwd, database)
  await writeFile(`${path}-verified.lock`, '')
  assert.deepEqual(await run('verify', '--only-ledger').then(({ code, stderr }) => [code, stderr]), [0, ''])
  assert.notEqual((await readRecord(path)).verifiedAt, null)
  assert.equal(existsSync(`${path}-verified.lock`), false)
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
