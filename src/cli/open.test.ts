import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { aFolder, database, runCommand, textOf } from '../../test/support/command-line.ts'

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
    assert.match(stderr, /cannot use .*: EACCES: permission denied/)
  }
})
