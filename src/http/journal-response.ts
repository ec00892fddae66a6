import type { FastifyRequest } from 'fastify'
import type { Endpoint } from '../journal/journal-batch.ts'
import type { SeenRefusal } from '../journal/collector.ts'
import type { JournalEntry } from '../journal/journal.ts'
import type { RefusalCode } from '../journal/result-code.ts'
import { replayAge } from '../journal/replay-age.ts'
import type { Clock } from '../clock.ts'
import type { AwardRequest } from '../rules/award-request.ts'
import type { Outcome } from '../rules/decide-batch.ts'
import { pointsFor } from '../rules/points.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The award of a signed request, once it is checked. */
    seenAward: AwardRequest | null
    /** What the ledger decided. */
    seenOutcome: Outcome | null
  }
}

/**
 * Tells the journal what became of a request, from what the route has left on it, when its response is ready. If nobody
 * signed the request, the response goes first: the journal does more for a known key than for an unknown one, and a
 * stranger could measure that.
 */
export function journalResponses(
  endpoint: Endpoint,
  parts: { journal: JournalEntry; clock: Clock },
): (request: FastifyRequest) => void {
  const tell = tellJournal(endpoint, parts)
  return (request) => {
    const code = request.logNote?.code
    if (code === 'INVALID_SIGNATURE' || code === 'TIMESTAMP_OUT_OF_RANGE') setImmediate(tell, request)
    else tell(request)
  }
}

function tellJournal(
  endpoint: Endpoint,
  { journal, clock }: { journal: JournalEntry; clock: Clock },
): (request: FastifyRequest) => void {
  return (request) => {
    const { logNote, seenAward, seenOutcome } = request
    const partnerId = logNote?.partnerId
    const tenantId = seenAward?.tenantId ?? logNote?.tenantId
    const at = clock.now()
    const seen = { at, endpoint, partnerId, tenantId }
    const code = logNote?.code
    switch (code) {
      case undefined: {
        const points = seenOutcome?.kind === 'credited' ? seenOutcome.points : 0
        const success = endpoint === 'award' ? 'CREDITED' : 'PAGE'
        return journal.saw({ ...seen, code: success, detail: '', points, refusal: null })
      }
      case 'DUPLICATE': {
        if (seenOutcome?.kind !== 'duplicate') return
        const { awardedAt, points } = seenOutcome
        journal.saw({ ...seen, code, detail: replayAge(at - awardedAt), points, refusal: null })
        const keyId = logNote?.keyId
        if (partnerId !== undefined && keyId !== undefined && seenAward !== null)
          journal.replayed({ partnerId, keyId, orderId: seenAward.orderId, at })
        return
      }
      default: {
        const refusal = refusalOf(request, code)
        return journal.saw({
          ...seen,
          code,
          detail: refusal.cap ?? '',
          points: refusal.requested ?? 0,
          refusal,
        })
      }
    }
  }
}

function refusalOf({ id, logNote, seenAward, seenOutcome }: FastifyRequest, code: RefusalCode): SeenRefusal {
  const rejection = seenOutcome?.kind === 'rejected' ? seenOutcome.rejection : null
  return {
    requestId: id,
    code,
    keyId: logNote?.keyId,
    orderId: seenAward?.orderId,
    cap: logNote?.cap ?? null,
    limit: logNote?.limit ?? null,
    requested: seenAward === null ? null : pointsFor(seenAward.amount),
    used: rejection !== null && 'used' in rejection ? rejection.used : null,
  }
}
