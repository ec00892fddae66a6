import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../support/service.ts'
import { openDatabase } from '../../../src/stores/sqlite/database.ts'
import { sameFile } from '../../../src/stores/sqlite/file/same-file.ts'
import { assertNotUsedElsewhere } from '../../../src/stores/sqlite/file/used-elsewhere.ts'
import { openSqlite } from '../../../src/stores/sqlite/open.ts'

/** A ledger that a connection has open, and that was then moved. */
async function aMovedLedger(t: TestContext) {
  const folder = temporaryFolder(t)
  const [path, moved] = [join(folder, 'ledger.db'), join(folder, 'moved.db')]
  await openSqlite(path).close()
  const holder = openDatabase(path)
  t.after(() => {
    if (holder.isOpen) holder.close()
  })
  renameSync(path, moved)
  return { folder, path, moved, holder }
}

const refusal = /cannot use .*moved\.db: another process has it open, but not with the log.*move it back/

const logOfAnother = /cannot use .*ledger\.db: the log .* beside it is in use for another file/

test('a ledger that was moved while it was open is not opened at its new place, and nothing is left there', async (t) => {
  const { folder, path, moved, holder } = await aMovedLedger(t)
  const before = readdirSync(folder)
  assert.throws(() => openDatabase(moved), refusal)
  assert.throws(() => openDatabase(moved, { readOnly: true }), refusal)
  assert.deepEqual(readdirSync(folder), before)
  renameSync(moved, path)
  openDatabase(path).close()
  holder.close()
  renameSync(path, moved)
  openDatabase(moved).close()
})

test('nor beside an empty log and its index, which a reader of another ledger has left there', async (t) => {
  const { moved } = await aMovedLedger(t)
  for (const companion of ['-wal', '-shm']) writeFileSync(`${moved}${companion}`, '')
  assert.throws(() => openDatabase(moved), refusal)
})

test('nor if its log was moved after it, without the index', async (t) => {
  const { path, moved, holder } = await aMovedLedger(t)
  holder.exec('PRAGMA user_version = 7')
  renameSync(`${path}-wal`, `${moved}-wal`)
  for (const readOnly of [true, false]) assert.throws(() => openDatabase(moved, { readOnly }), refusal)
  holder.close()
  assert.equal(versionOf(moved), 7)
})

test('a log without its index is read: a backup has none, and a power cut may take it', async (t) => {
  const folder = temporaryFolder(t)
  const [path, backup] = [join(folder, 'ledger.db'), join(folder, 'backup.db')]
  await openSqlite(path).close()
  const holder = openDatabase(path)
  t.after(() => holder.close())
  holder.exec('PRAGMA user_version = 7')
  for (const companion of ['', '-wal']) copyFileSync(`${path}${companion}`, `${backup}${companion}`)
  assertNotUsedElsewhere(backup, (name) => new DatabaseSync(name))
  assert.deepEqual(
    readFileSync(`${backup}-wal`),
    readFileSync(`${path}-wal`),
    'nobody has copied it: the disk may be full',
  )
  assert.equal(versionOf(backup), 7)
})

test('a file on another volume is another one, although it has the same number there', async (t) => {
  const folder = temporaryFolder(t)
  const volumes = ['a', 'b'].map((name) => join(folder, name))
  for (const volume of volumes) {
    mkdirSync(volume)
    if (!mounts(t, 'tmpfs', volume)) return t.skip('needs the right to mount (root)')
  }
  const [path, other] = volumes.map((volume) => join(volume, 'ledger.db')) as [string, string]
  await openSqlite(path).close()
  const holder = openDatabase(path)
  t.after(() => holder.close())
  holder.exec('PRAGMA user_version = 7')
  // By another process: this one would release its locks when it closes the file.
  for (const companion of ['', '-wal']) spawnSync('cp', [`${path}${companion}`, `${other}${companion}`])
  if (statSync(other).ino !== statSync(path).ino)
    return t.skip('here the files of all volumes have different numbers')
  assert.equal(versionOf(other), 7)
})

/** Until the end of the test; false where that is not permitted. */
function mounts(t: TestContext, type: string, on: string, ...options: string[]): boolean {
  const { status } = spawnSync('mount', ['-t', type, 'none', on, ...options])
  if (status === 0) t.after(() => spawnSync('umount', ['--lazy', on]))
  return status === 0
}

function versionOf(path: string) {
  const database = openDatabase(path)
  const { user_version: version } = database.prepare('PRAGMA user_version').get()!
  database.close()
  return version
}

test('a file that was put in the place of an open ledger is not opened with its log, and nothing is changed', async (t) => {
  const { folder, path, moved, holder } = await aMovedLedger(t)
  holder.exec('PRAGMA user_version = 7')
  const sizes = () => readdirSync(folder).map((name) => [name, statSync(join(folder, name)).size])
  const isRefused = (options?: { readOnly: boolean }) => {
    const before = sizes()
    assert.throws(() => openDatabase(path, options), logOfAnother)
    assert.deepEqual(sizes(), before)
    rmSync(path)
  }
  // By another process: this one would release its locks when it closes the file.
  const copy = () => spawnSync('cp', [moved, path])
  copy()
  isRefused()
  copy()
  isRefused({ readOnly: true })
  writeFileSync(path, '')
  isRefused()
  renameSync(moved, path)
  assert.equal(versionOf(path), 7)
})

test('nor if another program has opened it there', async (t) => {
  const { path, moved } = await aMovedLedger(t)
  spawnSync('cp', [moved, path])
  const opens = `const database = new (require('node:sqlite').DatabaseSync)(process.argv[1])
    database.exec('SELECT count(*) FROM tenants')
    console.log('open')
    setInterval(() => {}, 1000)`
  const other = spawn(process.execPath, ['-e', opens, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => other.kill('SIGKILL'))
  await once(other.stdout, 'data')
  assert.throws(() => openDatabase(path), logOfAnother)
})

test('a file is known, and has its locks, even if its number has 64 bits, as in layered file systems', async (t) => {
  const folder = temporaryFolder(t)
  const places = ['lower', 'upper', 'merged'].map((name) => join(folder, name))
  const [lower, upper, merged] = places as [string, string, string]
  for (const place of places) mkdirSync(place)
  if (!mounts(t, 'tmpfs', lower) || !mounts(t, 'tmpfs', upper))
    return t.skip('needs the right to mount (root)')
  await openSqlite(join(lower, 'ledger.db')).close()
  writeFileSync(join(lower, 'neighbor'), '')
  for (const name of ['files', 'work']) mkdirSync(join(upper, name))
  const layers = `lowerdir=${lower},upperdir=${upper}/files,workdir=${upper}/work,xino=on`
  if (!mounts(t, 'overlay', merged, '-o', layers)) return t.skip('needs overlay file systems')
  const path = join(merged, 'ledger.db')
  if (statSync(path, { bigint: true }).ino > 0n) return t.skip('here numbers are shorter')
  assert.notEqual(sameFile(path).identity, sameFile(join(merged, 'neighbor')).identity)
  const holder = openDatabase(path)
  t.after(() => holder.close())
  openDatabase(path).close()
  const moved = join(merged, 'moved.db')
  renameSync(path, moved)
  writeFileSync(`${moved}-wal`, 'left by somebody else')
  assert.throws(() => openDatabase(moved), refusal)
})

test('a ledger that others have open under the same name is opened', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  await openSqlite(path).close()
  const first = new DatabaseSync(path)
  t.after(() => first.close())
  first.exec('SELECT count(*) FROM tenants')
  openDatabase(path).close()
  openDatabase(path, { readOnly: true }).close()
})

test('who waits until a ledger is free keeps no lock on it, so that two who open it at the same time do not refuse each other', async (t) => {
  const { moved, holder } = await aMovedLedger(t)
  const attempts: string[] = []
  assertNotUsedElsewhere(moved, (file) => {
    const connection = new DatabaseSync(file)
    return {
      exec(sql) {
        if (sql.startsWith('SELECT') && attempts.push('ours') === 2) {
          holder.close()
          assertNotUsedElsewhere(moved, (name) => new DatabaseSync(name))
          attempts.push('of another')
        }
        connection.exec(sql)
      },
      close: () => connection.close(),
    }
  })
  assert.deepEqual(attempts, ['ours', 'ours', 'of another'])
})
