import { equal } from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createOperator } from '../../src/operator/access/operators.ts'
import { createPasswords } from '../../src/operator/access/passwords.ts'
import { openStore } from '../../src/stores/open.ts'
import { environmentOf, makeAcmeFile } from '../support/acme-file.ts'
import { ConsoleBrowser } from '../support/console-browser.ts'
import { startServerProcess } from '../support/server-process.ts'
import { temporaryFolder } from '../support/service.ts'

const mai = { operatorId: 'mai', role: 'viewer', password: 'correct horse battery' } as const

test('an operator signs in while another program writes to the ledger', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  await makeAcmeFile(path)
  const store = await openStore({ kind: 'sqlite', path }, { create: false })
  const passwords = createPasswords({ memory: 32, passes: 1, parallelism: 1 })
  await createOperator({ accounts: store.operators, passwords, by: { actor: 'test', now: 0 } }, mai)
  await store.close()
  const server = await startServerProcess(environmentOf(path))
  t.after(() => server.end('SIGKILL'))
  const other = new DatabaseSync(path)
  t.after(() => other.close())
  other.exec('BEGIN IMMEDIATE')
  const { status } = await new ConsoleBrowser(server.operatorUrl).signIn(mai.operatorId, mai.password)
  equal(status, 200)
})
