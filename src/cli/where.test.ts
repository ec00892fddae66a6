import { deepEqual, equal } from 'node:assert/strict'
import { realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand, textOf } from '../../test/support/command-line.ts'
import { temporaryFolder } from '../../test/support/service.ts'

test('where prints the path of the ledger that every command would use, also if only .env names it', async (t) => {
  const cwd = realpathSync(temporaryFolder(t))
  const where = async () => textOf(await runCommand(['where'], { cwd })).trim()
  equal(await where(), join(cwd, 'data/partner-credit.db'))
  writeFileSync(join(cwd, '.env'), 'DATABASE_URL=sqlite:elsewhere/ledger.db\n')
  equal(await where(), join(cwd, 'elsewhere/ledger.db'))
  const { stdout } = await runCommand(['where', '--json'], { cwd })
  deepEqual(JSON.parse(stdout), { path: join(cwd, 'elsewhere/ledger.db') })
})

test('where names host and database of PostgreSQL, and no password', async (t) => {
  const cwd = temporaryFolder(t)
  const url = 'postgres://ledger:secret@db.example.com/credit?host=standby.example.com&password=other'
  const found = await runCommand(['where', '--database-url', url], { cwd })
  equal(textOf(found).trim(), 'standby.example.com:5432/credit')
})
