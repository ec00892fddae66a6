import { rejects } from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { postgresMessage } from '../../../test/support/postgres-messages.ts'
import { openPool, withClient } from './database.ts'
import { watchSettings } from './settings-watch.ts'

const loggedIn = Buffer.concat([postgresMessage('R', '\0\0\0\0'), postgresMessage('Z', 'I')])

const broken: [what: string, bytes: Buffer][] = [
  ['a row without its number of columns', Buffer.from('D\0\0\0\x04')],
  ['a row of a negative number of columns', postgresMessage('D', '\x7f\x7f').fill(0xff, 5)],
  ['a row that ends before its columns', postgresMessage('D', '\0\x03\0\0\0\0')],
  ['a length that does not count itself', Buffer.from('C\0\0\0\0')],
  ['the name of a column without an end', postgresMessage('T', '\0\x01name')],
  ['an unknown way to log in', postgresMessage('R', '\0\0\0\x7f')],
  ['an error without an end', postgresMessage('E', 'SERROR\0C57014\0Mcanceled')],
  ['an error whose last field ends, but not the list', postgresMessage('E', 'SERROR\0C57014\0')],
  ['an error without a field', Buffer.from('E\0\0\0\x04')],
  ['a warning without an end', postgresMessage('N', 'SWARNING\0')],
]

test('a malformed message from the database breaks its connection, not the process', async (t) => {
  /** What a server sends when it is asked something: to the login, and to the first statement. */
  async function served(answers: Buffer[]) {
    let connections = 0
    const server = createServer((socket) => {
      connections++
      const left = [...answers]
      socket.on('error', () => {})
      socket.on('data', () => socket.write(left.shift() ?? ''))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.after(() => server.close())
    const { port } = server.address() as { port: number }
    return { url: `postgres://postgres:test@127.0.0.1:${port}/ledger`, connections: () => connections }
  }

  async function asks(answers: Buffer[]): Promise<void> {
    const { url } = await served(answers)
    const pool = openPool(url, { connectionsMax: 1, answerMaxMs: 60_000, connectMaxMs: 60_000 })
    await rejects(withClient(pool, (client) => client.query('SELECT 1')))
    await pool.end()
  }

  for (const [what, bytes] of broken) {
    await t.test(`${what}, in response to the login`, () => asks([bytes]))
    await t.test(`${what}, in response to a statement`, () => asks([loggedIn, bytes]))
  }

  await t.test('the watch for changes of the settings connects again', async (t) => {
    const { url, connections } = await served([loggedIn, broken[0]![1]])
    const watch = watchSettings(url, () => {})
    t.after(() => watch.close())
    await eventually('it connects again', () => connections() > 1)
  })
})
