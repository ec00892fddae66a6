import { rejects } from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { openPool, withClient } from './database.ts'

test('a session that the server ends in the breath in which it began it is a failure, not our end', async (t) => {
  const message = (letter: string, text: string) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(4 + Buffer.byteLength(text))
    return Buffer.concat([Buffer.from(letter), length, Buffer.from(text)])
  }
  const server = createServer((socket) => {
    socket.on('error', () => {})
    // Logged in, ready, gone: in one packet, as a server that is being stopped may send it.
    socket.once('data', () =>
      socket.end(
        Buffer.concat([
          message('R', '\0\0\0\0'),
          message('Z', 'I'),
          message('E', 'SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0'),
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
