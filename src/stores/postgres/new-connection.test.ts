import { rejects } from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { postgresMessage } from '../../../test/support/postgres-messages.ts'
import { openPool, withClient } from './database.ts'

test('a session that the server ends in the breath in which it began it is a failure, not our end', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    // Logged in, ready, gone: in one packet, as a server that is being stopped may send it.
    socket.once('data', () =>
      socket.end(
        Buffer.concat([
          postgresMessage('R', '\0\0\0\0'),
          postgresMessage('Z', 'I'),
          postgresMessage('E', 'SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0'),
        ]),
      ),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as { port: number }
  const pool = openPool(`postgres://postgres:test@127.0.0.1:${port}/ledger`, { connectionsMax: 1 })
  t.after(() => pool.end())
  await rejects(withClient(pool, (client) => client.query('SELECT 1')))
})
