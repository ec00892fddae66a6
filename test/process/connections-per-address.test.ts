import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { ownAddress } from '../support/own-address.ts'
import { requestText } from '../support/raw-http.ts'
import { startServerProcess } from '../support/server-process.ts'
import { temporaryFolder } from '../support/service.ts'

const limit = 5
const livez = requestText('GET /livez HTTP/1.1', ['Host: localhost'])

/** A server on all addresses of this machine, and a way to connect to one of them. */
async function aServer(t: TestContext, environment: Record<string, string> = {}) {
  const folder = temporaryFolder(t)
  const server = await startServerProcess({
    DATABASE_URL: `sqlite:${join(folder, 'ledger.db')}`,
    HOST: '0.0.0.0',
    CONNECTIONS_PER_ADDRESS: String(limit),
    ...environment,
  })
  t.after(() => server.end('SIGKILL'))
  const sockets: Socket[] = []
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  /** Does a new connection get a response? It stays open. */
  async function isAnswered(address: string): Promise<boolean> {
    const socket = connect(Number(new URL(server.url).port), address)
    sockets.push(socket)
    socket.on('error', () => {})
    socket.write(livez)
    return new Promise((resolve) => {
      socket.once('data', () => resolve(true)).once('close', () => resolve(false))
    })
  }
  return { server, sockets, isAnswered }
}

test('an address has CONNECTIONS_PER_ADDRESS connections, the next is refused and logged, and a closed one makes room', async (t) => {
  const address = ownAddress()
  if (address === null) return t.skip('this machine has no address but loopback, which is not counted')
  const { server, sockets, isAnswered } = await aServer(t)
  for (let number = 1; number <= limit; number++) assert.equal(await isAnswered(address), true)
  assert.equal(await isAnswered(address), false)
  assert.equal(await isAnswered(address), false)
  const refused = () => server.log.map((line) => JSON.parse(line)).findLast(({ msg }) => msg === 'refused')
  await eventually('it is logged', () => refused()?.addressFull === 2)
  const { listener, latestAddress, level } = refused()
  assert.deepEqual(
    { listener, latestAddress, level },
    { listener: 'partner', latestAddress: address, level: 40 },
  )

  for (let number = 1; number <= 2 * limit; number++) assert.equal(await isAnswered('127.0.0.1'), true)
  sockets[0]!.destroy()
  await eventually('there is room again', () => isAnswered(address))
})

test('a proxy that TRUST_PROXY names has as many as there are', async (t) => {
  const address = ownAddress()
  if (address === null) return t.skip('this machine has no address but loopback, which is not counted')
  const { isAnswered } = await aServer(t, { TRUST_PROXY: `198.51.100.0/24, ${address}` })
  for (let number = 1; number <= 4 * limit; number++) assert.equal(await isAnswered(address), true)
})
