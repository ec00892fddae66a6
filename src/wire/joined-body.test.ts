import { deepEqual, equal, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { test } from 'node:test'
import { JoinedRequest } from './joined-body.ts'

/** The pieces in which a body arrives that Node has read in these. */
async function joined(pieces: Buffer[]): Promise<Buffer[]> {
  const request = new JoinedRequest(new Socket())
  request.headers['content-length'] = '1'
  for (const piece of pieces) request.push(piece)
  request.push(null)
  return (await request.toArray()) as Buffer[]
}

const body = Buffer.from(Array.from({ length: 65_536 }, (_, index) => index & 0xff))
const cut = (sizes: number[]) => {
  const pieces: Buffer[] = []
  for (let at = 0, turn = 0; at < body.length; turn++) {
    const end = at + sizes[turn % sizes.length]!
    pieces.push(Buffer.from(body.subarray(at, end)))
    at = end
  }
  return pieces
}

for (const sizes of [[1], [63], [1, 64], [2, 63, 4_096], [63, 1, 500, 3]]) {
  test(`a body in pieces of ${sizes} bytes arrives as it was sent, in few objects`, async () => {
    const found = await joined(cut(sizes))
    deepEqual(Buffer.concat(found), body)
    ok(found.length <= body.length / 32, `${found.length} pieces`)
  })
}

test('a large piece is passed on as it is, and a body that ends with a small one is complete', async () => {
  const [large, small] = [Buffer.alloc(64, 'a'), Buffer.from('b')]
  const found = await joined([large, small])
  equal(found[0], large)
  deepEqual(found[1], small)
  deepEqual(await joined([small]), [small])
  deepEqual(await joined([]), [])
})

test('a client that sends its body byte by byte gets its response', async (t) => {
  const server = createServer({ IncomingMessage: JoinedRequest }, async (request, response) => {
    const pieces = await request.toArray()
    response.end(Buffer.concat(pieces))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const client = connect((server.address() as AddressInfo).port).setNoDelay()
  t.after(() => client.destroy())
  client.write(`POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 300\r\n\r\n`)
  for (const byte of body.subarray(0, 300)) client.write(Buffer.of(byte))
  const response = Buffer.concat(await client.toArray())
  deepEqual(response.subarray(response.indexOf('\r\n\r\n') + 4), body.subarray(0, 300))
})
