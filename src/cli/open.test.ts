import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { aFolder, database, runCommand, textOf } from '../../test/support/command-line.ts'

const launcher = fileURLToPath(new URL('../../bin/partner-credit.js', import.meta.url))

test('a change is made and recorded also for a user that has no name, as in a container', async (t) => {
  const asNobody = ['--user', '--map-user=54321']
  if (spawnSync('unshare', [...asNobody, 'true']).status !== 0) return t.skip('needs unshare, of util-linux')
  const { cwd } = await aFolder(t)
  const [program, ...options] = asNobody
  const command = [...options, process.execPath, launcher, 'partner', 'suspend', 'acme']
  textOf(await runCommand(command, { cwd, node: 'unshare', program: program! }))
  const raw = new DatabaseSync(join(cwd, database))
  t.after(() => raw.close())
  const row = raw.prepare('SELECT actor FROM audit ORDER BY audit_seq DESC').get()!
  assert.equal(row.actor, 'cli:uid-54321')
})
