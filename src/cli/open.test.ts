import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { aFolder, complaintOf, database, runCommand, textOf } from '../../test/support/command-line.ts'

const launcher = fileURLToPath(new URL('../../bin/partner-credit.js', import.meta.url))

const asNobody = ['--user', '--map-user=54321']
const cannotBeNobody = () => spawnSync('unshare', [...asNobody, 'true']).status !== 0
const neededForNobody = 'needs unshare, of util-linux'

function runAsNobody(cwd: string, ...args: string[]) {
  const [program, ...options] = asNobody
  const command = [...options, process.execPath, launcher, ...args]
  return runCommand(command, { cwd, node: 'unshare', program: program! })
}

test('a change is made and recorded also for a user that has no name, as in a container', async (t) => {
  if (cannotBeNobody()) return t.skip(neededForNobody)
  const { cwd } = await aFolder(t)
  textOf(await runAsNobody(cwd, 'partner', 'suspend', 'acme'))
  const raw = new DatabaseSync(join(cwd, database))
  t.after(() => raw.close())
  const row = raw.prepare('SELECT actor FROM audit ORDER BY audit_seq DESC').get()!
  assert.equal(row.actor, 'cli:uid-54321')
})

test('a ledger that this user may not read is reported as that', async (t) => {
  if (cannotBeNobody()) return t.skip(neededForNobody)
  const { cwd } = await aFolder(t)
  chmodSync(join(cwd, database), 0)
  for (const args of [['partner', 'list'], ['verify']]) {
    const { code, stderr } = await runAsNobody(cwd, ...args)
    assert.equal(code, 1)
    assert.match(stderr, mayNot('read', database))
  }
})

test('the lock of a server that this user may not open is reported as that, by name', async (t) => {
  if (cannotBeNobody()) return t.skip(neededForNobody)
  const { cwd } = await aFolder(t)
  writeFileSync(join(cwd, `${database}-server`), '', { mode: 0 })
  const verify = complaintOf(await runAsNobody(cwd, 'verify'), 1)
  assert.match(verify, mayNot('read', `${database}-server`))
  const serve = complaintOf(await runAsNobody(cwd, 'serve', '--port', '0', '--operator-port', '0'), 1)
  assert.match(serve, mayNot('write to', `${database}-server`))
})

test('a ledger in a folder that this user may not enter is not reported as missing', async (t) => {
  if (cannotBeNobody()) return t.skip(neededForNobody)
  const { cwd } = await aFolder(t)
  const folder = join(cwd, 'data')
  chmodSync(folder, 0)
  t.after(() => chmodSync(folder, 0o700))
  for (const args of [['partner', 'list'], ['verify'], ['partner', 'suspend', 'acme'], ['migrate']]) {
    assert.match(complaintOf(await runAsNobody(cwd, ...args), 1), mayNot('enter the folder of', database))
  }
})

function mayNot(use: string, file: string): RegExp {
  return new RegExp(`uid 54321\\) may not ${use} \\S*${file}( .*)?: run this as the user who runs the server`)
}
