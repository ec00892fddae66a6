import { createHmac, randomBytes } from 'node:crypto'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { FastifyRequest } from 'fastify'
import pino from 'pino'
import { readAwardRequest } from '../src/rules/award-request.ts'
import { awardSchema } from '../src/rules/award-schema.ts'
import { HmacKey } from '../src/shortcuts/hmac-key.ts'
import { createRequestLog, noteForLog } from '../src/wire/request-log.ts'
import { median } from './median.ts'

/**
 * npm run by-hand: what is written by hand beside the library that would replace it, in turn in one process. The figures
 * are for docs/internals/by-hand.md; `npm run profile` shows what share of an award they are.
 */
const rounds = 11
const callsPerRound = 20_000

const body = Buffer.from(
  JSON.stringify({
    tenantId: 't1',
    orderId: 'order-1001',
    userEmail: 'Ann@example.com',
    amount: 5250,
    note: 'Welcome',
    meta: { shop: 'hanoi-3', items: [{ sku: 'A-1', price: 1.5 }] },
  }),
)

function compareBodyReading(): Comparison {
  const validate = new Ajv2020({ strict: false, formats: { email: true } }).compile(awardSchema)
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  return {
    what: 'read and check an award body',
    byHand: { name: 'readAwardRequest (strict JSON)', run: () => readAwardRequest(body) },
    library: { name: 'JSON.parse and Ajv 8', run: () => validate(JSON.parse(decoder.decode(body))) },
  }
}

function compareHmac(): Comparison {
  const secret = `pcs_${randomBytes(32).toString('base64url')}`
  const key = new HmacKey(secret)
  const timestamp = Buffer.from('1763182800000.')
  return {
    what: 'HMAC-SHA-256 of an award',
    byHand: { name: 'HmacKey', run: () => key.hmac(timestamp, body) },
    library: {
      name: 'createHmac',
      run: () => createHmac('sha256', secret).update(timestamp).update(body).digest(),
    },
  }
}

function compareLogLine(): Comparison {
  const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write: () => {} })
  const asked = { id: 'r-1', method: 'POST', headers: {} }
  const request = { ...asked, logNote: null } as unknown as FastifyRequest
  const logRequest = createRequestLog(log)
  const note = { partnerId: 'acme', keyId: 'key_1c00ebd51e65fc06', tenantId: 't1' }
  noteForLog(request, note)
  const sent = { route: '/v1/ep/webhook', status: 202, durationMs: 1.234, clientAddress: '192.0.2.7' }
  const fields = { requestId: 'r-1', method: 'POST', route: '/v1/ep/webhook', status: 202, durationMs: 1.23 }
  return {
    what: 'log line of a request',
    byHand: { name: 'createRequestLog (JSON.stringify)', run: () => logRequest(request, sent) },
    library: { name: 'pino', run: () => log.info({ ...fields, ...note }, 'request') },
  }
}

type Side = { name: string; run: () => unknown }
type Comparison = { what: string; byHand: Side; library: Side }

for (const { what, byHand, library } of [compareBodyReading(), compareHmac(), compareLogLine()]) {
  for (const { run } of [byHand, library]) nanosecondsOf(run) // warm up
  const pairs = Array.from({ length: rounds }, () => [nanosecondsOf(byHand.run), nanosecondsOf(library.run)])
  const [own, other] = [0, 1].map((side) => Math.round(median(pairs.map((pair) => pair[side]!))))
  const ratio = median(pairs.map(([a, b]) => a! / b!)).toFixed(2)
  console.log(`${what}: ${byHand.name} ${own} ns, ${library.name} ${other} ns, × ${ratio}`)
}

function nanosecondsOf(run: () => unknown): number {
  const start = process.hrtime.bigint()
  for (let call = 0; call < callsPerRound; call++) run()
  return Number(process.hrtime.bigint() - start) / callsPerRound
}
