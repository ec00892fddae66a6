import type { FastifyRequest } from 'fastify'
import { systemClock as clock } from '../src/clock.ts'
import { journalResponses } from '../src/http/journal-response.ts'
import { Collector } from '../src/journal/collector.ts'
import { HmacKey } from '../src/shortcuts/hmac-key.ts'
import { median } from './median.ts'

const awards = 300_000
const rounds = 5
/** As many as a busy server credits between two writes. */
const perWrite = 5_000

/** CPU time of all that an award tells the journal: gathering it, adding it up, and taking the sums. */
export function journalCallsUs(accounts: number): number {
  const partners = Array.from({ length: accounts }, (_, index) => `partner-${index}`)
  const journal = new Collector({ clock, keepsRefusals: true, tenantExists: () => true })
  const tell = journalResponses('award', { journal, clock })
  const fingerprints = new HmacKey('k')

  function loop(work: (request: FastifyRequest, index: number) => void): number {
    const before = process.threadCpuUsage()
    for (let index = 0; index < awards; index++) work(requestOf(partners[index % accounts]!, index), index)
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / awards
  }
  let length = 0
  const idle = () =>
    loop((request) => {
      length += request.logNote!.keyId!.length
    })
  const told = () =>
    loop((request, index) => {
      const { keyId, partnerId } = request.logNote!
      const by = { keyId: keyId!, partnerId: partnerId! }
      journal.keyUsed({ by, at: 1_763_000_000_000 + index, clockDifferenceMs: 5 })
      tell(request)
      if (index % perWrite === perWrite - 1) journal.take(fingerprints)
    })
  const differences = Array.from({ length: rounds }, () => told() - idle())
  return length > 0 ? median(differences) : Number.NaN
}

function requestOf(partnerId: string, index: number): FastifyRequest {
  return {
    id: 'x',
    logNote: { partnerId, keyId: `key_${partnerId}`, tenantId: 't1' },
    seenAward: { tenantId: 't1', orderId: `order-${index}`, amount: 1000 },
    seenOutcome: { kind: 'credited', points: 1 },
  } as unknown as FastifyRequest
}
