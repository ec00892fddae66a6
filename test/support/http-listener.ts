import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { keepConnectionOf } from '../../src/wire/connection.ts'
import { createHttpListener } from '../../src/wire/http-listener.ts'
import { thenInTurn } from '../../src/wire/later-turns.ts'
import { eventually } from './eventually.ts'
import { noAddressLimit } from './no-address-limit.ts'
import { requestText } from './raw-http.ts'

/** Generous, because the tests share a thread with each other and with the servers that they flood. */
export const slow = { withinMs: 30_000 }
export const get = (path: string) => requestText(`GET ${path} HTTP/1.1`, ['Host: a'])
export const post = (path: string, body = '') =>
  requestText(`POST ${path} HTTP/1.1`, ['Host: a', `Content-Length: ${body.length}`], body)

/** A listener with a path whose responses wait for the test, and one with large responses. */
export async function aListener(t: TestContext) {
  const log: string[] = []
  const http = createHttpListener({
    name: 'test',
    log: pino({ base: null }, { write: (line) => void log.push(line) }),
    ready: async () => [],
    readyGivesReasons: true,
    addressLimit: noAddressLimit,
  })
  const waiting: (() => void)[] = []
  let started = 0
  let open = true
  const handler = async () => {
    started++
    if (!open) await new Promise<void>((resolve) => waiting.push(resolve))
    return { number: started }
  }
  http.app.get('/held', handler)
  http.app.post('/held', handler)
  const gate = Promise.withResolvers<void>()
  http.app.post('/gate', async ({ raw }) => {
    await thenInTurn(raw, 0, gate.promise)
    return handler()
  })
  for (const partner of ['acme', 'globex'])
    http.app.post(`/known/${partner}`, async ({ raw }) => keepConnectionOf(raw, partner))
  const page = 'x'.repeat(1_000_000)
  let pages = 0
  http.app.get('/large', async () => {
    pages++
    return page
  })
  const { port } = new URL(await http.listen({ host: '127.0.0.1', port: 0 }))
  t.after(() => http.drain(0))
  const sockets: Socket[] = []
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  return {
    http,
    log,
    counts: http.refusals,
    started: () => started,
    pages: () => pages,
    open: () =>
      new Promise<number>((resolve) => http.app.server.getConnections((_, count) => resolve(count))),
    hold: () => {
      open = false
    },
    openGate: gate.resolve,
    letFirstGo: () => waiting.shift()?.(),
    letGo: () => {
      open = true
      for (const resolve of waiting.splice(0)) resolve()
    },
    async connect(): Promise<Socket & { received: () => string }> {
      const socket = connect(Number(port), '127.0.0.1')
      sockets.push(socket)
      await once(socket, 'connect')
      let text = ''
      socket.on('error', () => {})
      return Object.assign(socket, {
        received: () => {
          text += socket.read()?.toString('latin1') ?? ''
          return text
        },
      })
    },
  }
}

export const answersIn = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

/** How many pages were made for clients that read nothing, when the last of them wait to be read. */
export async function noMorePages(listener: { pages(): number }): Promise<number> {
  let pages = 0
  await eventually(
    'no more pages are made',
    async () => {
      const before = pages
      await sleep(200) // for requests that ought not to start
      pages = listener.pages()
      return pages > 0 && pages === before
    },
    slow,
  )
  return pages
}
