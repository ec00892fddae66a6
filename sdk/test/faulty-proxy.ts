import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { AddressInfo } from 'node:net'
import type { Lifetime } from '../../test/support/service.ts'

/** What becomes of a request on its way to the service. */
export type Fault =
  /** The service never sees it; the connection is reset. */
  | 'is lost'
  /** The service has answered; the answer does not arrive. */
  | 'is answered, and the answer is lost'
  | 'is answered, and half of the answer is lost'
  /** The service has it, and nothing ever comes back. */
  | 'is never answered'
  /** The head of the answer comes, and nothing after it. */
  | 'is never answered whole'
  /** A line end more than was sent. */
  | 'is changed on the way'
  /** Something in between answers in the service's place. */
  | { status: number; headers?: Record<string, string>; body?: string }

type SeenRequest = { method: string; url: string; headers: Record<string, string>; body: string }

type FaultyProxy = {
  url: string
  /** Every request that arrived here, with or without a fault. */
  seen: SeenRequest[]
  /** For the next requests, one each; those after them pass. */
  next(...faults: Fault[]): void
  /** Resolves with the next request, as soon as it is here. */
  arrival(): Promise<SeenRequest>
}

/** A real server between client and service, under `/prefix`, that breaks in the ways that networks do. */
export async function startFaultyProxy(test: Lifetime, serviceUrl: string): Promise<FaultyProxy> {
  const seen: SeenRequest[] = []
  const faults: Fault[] = []
  let arrived = Promise.withResolvers<SeenRequest>()

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url, headers } = request as { method: string; url: string } & IncomingMessage
    const body = await buffer(request)
    const one = { method, url, headers: headers as Record<string, string>, body: body.toString() }
    seen.push(one)
    arrived.resolve(one)
    arrived = Promise.withResolvers()
    const fault = faults.shift()
    if (fault === 'is lost') return void request.socket.resetAndDestroy()
    if (typeof fault === 'object') {
      response.writeHead(fault.status, fault.headers).end(fault.body)
      return
    }
    const answer = await fetch(serviceUrl + url.replace(/^\/prefix/, ''), {
      method,
      headers: passedOn(one.headers),
      body:
        method === 'GET' ? null : fault === 'is changed on the way' ? `${one.body}\n` : Uint8Array.from(body),
    })
    const text = await answer.text()
    if (fault === 'is never answered') return
    if (fault === 'is answered, and the answer is lost') return void request.socket.resetAndDestroy()
    const { 'content-length': _, connection: __, ...kept } = Object.fromEntries(answer.headers)
    response.writeHead(answer.status, { ...kept, 'content-length': Buffer.byteLength(text) })
    if (fault === undefined || fault === 'is changed on the way') return void response.end(text)
    response.write(text.slice(0, text.length / 2), () => {
      if (fault === 'is answered, and half of the answer is lost') request.socket.resetAndDestroy()
    })
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error) => response.destroy(error))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  test.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix`,
    seen,
    next: (...more) => void faults.push(...more),
    arrival: () => arrived.promise,
  }
}

function passedOn(headers: Record<string, string>): Record<string, string> {
  const own = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'accept-encoding'])
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !own.has(name)))
}
