import { once } from 'node:events'
import { connect } from 'node:net'
import pino from 'pino'
import type { AuthHeaders } from '../../src/access/authenticate.ts'
import { createPartnerListener } from '../../src/http/app.ts'
import { Collector } from '../../src/journal/collector.ts'
import { headerLines, requestText } from '../support/raw-http.ts'
import type { Lifetime } from '../support/service.ts'
import { aStoreLedger } from '../support/store-ledger.ts'
import { ofEachKind, payload, prepareAttempts } from './attempts.ts'
import { type Schedule, scheduled, type Times, warmUp } from './measure.ts'
import { noAddressLimit } from '../support/no-address-limit.ts'

/** The same attempts as awards to the real listener, over one connection that stays open: from the first byte to the last. */
export async function measureOverSocket(
  lifetime: Lifetime,
  { rounds, random, keysOfAKind, ageMs }: Schedule,
): Promise<Times> {
  const attempts = await prepareAttempts(random, keysOfAKind, ageMs)
  const { store, clock } = await aStoreLedger(lifetime)
  const { ledger } = store
  const log = pino({ base: null }, { write: () => {} })
  // It counts those of a known key for their partner, so that it does other work for them.
  const journal = new Collector({ clock, keepsRefusals: true, tenantExists: () => true })
  const listener = createPartnerListener({
    ledger,
    journal: {
      saw: (response) => journal.saw(response),
      replayed: (replay) => journal.replayed(replay),
      keyUsed: (request) => journal.keyUsed(request),
    },
    keys: attempts.keys,
    clock,
    clockWindowMs: 300_000,
    log,
    ready: async () => [],
    addressLimit: noAddressLimit,
  })
  const { hostname, port } = new URL(await listener.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(port), hostname)
  socket.setNoDelay()
  const times = ofEachKind(() => new Float64Array(rounds))
  for (const { round, kind, headers } of scheduled(attempts, random, { from: -warmUp(rounds), to: rounds })) {
    const request = Buffer.from(awardText(headers), 'latin1')
    const started = performance.now()
    socket.write(request)
    let received = ''
    do {
      const [chunk] = await once(socket, 'data')
      received += chunk.toString('latin1')
    } while (!received.endsWith('}'))
    const ended = performance.now()
    if (!received.startsWith('HTTP/1.1 401 ')) throw new Error(`the kind ${kind} was answered ${received}`)
    if (round >= 0) times[kind][round] = (ended - started) * 1e6
  }
  socket.destroy()
  await listener.drain(0)
  await ledger.close()
  return times
}

function awardText({ apiKey, timestamp, signature }: AuthHeaders): string {
  const lines = headerLines({
    Host: 'localhost',
    'Content-Type': 'application/json',
    'Content-Length': String(payload.length),
    'X-Api-Key': apiKey![0]!,
    'X-Timestamp': timestamp![0]!,
    'X-Signature': signature![0]!,
  })
  return requestText('POST /v1/ep/webhook HTTP/1.1', lines, payload.toString('latin1'))
}
