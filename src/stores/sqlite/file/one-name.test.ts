import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../../../test/support/service.ts'
import { openDatabase } from '../database.ts'
import { openSqlite, readSqlite } from '../open.ts'

async function aLedger(t: TestContext) {
  const folder = temporaryFolder(t)
  const path = join(folder, 'ledger.db')
  await openSqlite(path).close()
  return { folder, path, alias: join(folder, 'alias of it.db') }
}

test('a ledger is opened under neither of two names, to write or to read, and leaves nothing behind', async (t) => {
  const { folder, path, alias } = await aLedger(t)
  linkSync(path, alias)
  const before = readdirSync(folder)
  for (const name of [path, alias]) {
    assert.throws(
      () => openSqlite(name),
      /cannot use .*: the file has 2 names \(hard links\).*remove all but one/,
    )
    assert.throws(() => readSqlite(name), /2 names/)
  }
  assert.deepEqual(readdirSync(folder), before)
  rmSync(alias)
  await openSqlite(path).close()
})

test('a symbolic link is no second name', async (t) => {
  const { path, alias } = await aLedger(t)
  symlinkSync(path, alias)
  await openSqlite(alias).close()
  await readSqlite(alias).close()
})

test('a file that is mounted by itself is refused; in a folder that is mounted it is opened', async (t) => {
  const { folder, path, alias } = await aLedger(t)
  writeFileSync(alias, '')
  using file = bindMount(path, alias)
  if (!file.done) return t.skip('needs the right to mount (root)')
  assert.throws(() => openSqlite(alias), /the file is mounted by itself.*mount the folder/)
  assert.throws(() => readSqlite(alias), /mounted by itself/)

  const [inner, other] = [join(folder, 'inner'), join(folder, 'other')]
  mkdirSync(other)
  await openSqlite(join(inner, 'ledger.db')).close()
  using whole = bindMount(inner, other)
  assert.ok(whole.done)
  await openSqlite(join(other, 'ledger.db')).close()
})

test('a log or a lock that is shared with another name is refused', async (t) => {
  for (const companion of ['-wal', '-shm', '-server', '-journal']) {
    const { folder, path } = await aLedger(t)
    writeFileSync(join(folder, 'theirs'), '')
    linkSync(join(folder, 'theirs'), `${path}${companion}`)
    assert.throws(() => openDatabase(path), /ledger\.db-\w+ is a link/, companion)
    rmSync(`${path}${companion}`)
    renameSync(join(folder, 'theirs'), join(folder, 'their file'))
    symlinkSync(join(folder, 'their file'), `${path}${companion}`)
    assert.throws(() => openDatabase(path), /ledger\.db-\w+ is a link/, companion)
    rmSync(`${path}${companion}`)
    mkdirSync(`${path}${companion}`)
    assert.throws(() => openDatabase(path), /ledger\.db-\w+ is .*no file at all/, companion)
    rmdirSync(`${path}${companion}`)
    openDatabase(path).close()
  }
})

/** `done`: whether we may. */
function bindMount(from: string, to: string) {
  const done = spawnSync('mount', ['--bind', from, to]).status === 0
  return { done, [Symbol.dispose]: () => void (done && spawnSync('umount', [to])) }
}

test('a ledger that was moved without its log, and is opened by a link where the log still is, is refused', async (t) => {
  const folder = temporaryFolder(t)
  const [path, moved] = [join(folder, 'ledger.db'), join(folder, 'moved.db')]
  await openSqlite(path).close()
  renameSync(path, moved)
  symlinkSync(moved, path)
  await openSqlite(path).close()
  writeFileSync(`${path}-wal`, 'awards')
  const links = [path, join(folder, 'link.db'), join(folder, 'far', 'link.db')]
  symlinkSync(path, links[1]!)
  mkdirSync(join(folder, 'far'))
  symlinkSync('../link.db', links[2]!)
  for (const open of [openSqlite, readSqlite])
    for (const link of links)
      assert.throws(
        () => open(link),
        /ledger\.db is a link, and beside it is a log .*ledger\.db-wal.* moved from here, move .*restored backup.* remove/,
        link,
      )
  rmSync(`${path}-wal`)
  symlinkSync(`${moved}-wal`, `${path}-wal`)
  writeFileSync(`${moved}-wal`, '')
  await openSqlite(path).close()
})
