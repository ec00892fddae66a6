import { randomUUIDv7 } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { KeyDirectory } from '../../access/key-directory.ts'
import type { Clock } from '../../clock.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { readAwardRequest } from '../../rules/award-request.ts'
import { saltBytes } from '../../rules/entry.ts'
import type { Rejection } from '../../rules/rejection.ts'
import { creditedText } from '../../shortcuts/credited-text.ts'
import { headerValues } from '../../shortcuts/header-values.ts'
import { createIsoTimes } from '../../shortcuts/iso-time.ts'
import { type Problem, sendProblem } from '../../wire/problem.ts'
import { thenInTurn } from '../../wire/later-turns.ts'
import { type LogNote, noteForLog } from '../../wire/request-log.ts'
import { nextStage } from '../../ledger/next-stage.ts'
import { refuseUnread } from '../../wire/unread-body.ts'
import type { CallerCheck } from '../caller.ts'
import { markSandbox } from '../mark-sandbox.ts'
import { rejectionProblem } from './rejection-problem.ts'
import { createSalts } from '../../shortcuts/salts.ts'

/** POST /v1/ep/webhook: down through the checks, once through the ledger, straight back up. */
export function awardRoute(
  app: FastifyInstance,
  {
    keys,
    callerOf,
    ledger,
    clock,
    beforeResponse,
  }: {
    keys: Pick<KeyDirectory, 'catchUp'>
    callerOf: CallerCheck
    ledger: Ledger
    clock: Clock
    beforeResponse(request: FastifyRequest): void
  },
): void {
  const nextSalt = createSalts(saltBytes)
  const isoTime = createIsoTimes()
  app.post('/v1/ep/webhook', {
    onRequest: (request, reply, next) => {
      const problem = mediaTypeProblem(request)
      if (problem === null) next()
      else void refuseUnread(request, reply, problem)
    },
    // Not the hook `onResponse`: it does not come if the client is gone.
    onSend: (request, _reply, _payload, next) => {
      beforeResponse(request)
      next()
    },
    handler: async (request, reply) => {
      await nextStage
      const body = (request.body as Uint8Array | undefined) ?? new Uint8Array()
      const catchUp = keys.catchUp()
      if (catchUp !== undefined) await thenInTurn(request.raw, body.length, catchUp)
      const payloadName = 'the raw body, byte for byte'
      const identified = callerOf(request, { payload: body, body, payloadName })
      if (!identified.ok) {
        const { caller, problem } = identified
        if (caller !== null && caller.sandboxTenants.size > 0)
          markSandbox(reply, caller, readAwardRequest(body).tenantId)
        return sendProblem(request, reply, problem)
      }
      const { partnerId, tenants } = identified.caller

      await nextStage
      const checked = readAwardRequest(body)
      markSandbox(reply, identified.caller, checked.tenantId)
      if (!checked.ok) {
        const detail = 'the award breaks the rules listed in "errors"'
        return sendProblem(request, reply, {
          code: 'INVALID_REQUEST',
          detail,
          members: { errors: checked.errors },
        })
      }
      const award = checked.request
      request.seenAward = award
      noteForLog(request, { tenantId: award.tenantId })
      if (!tenants.has(award.tenantId)) {
        return sendProblem(request, reply, rejectionProblem({ code: 'TENANT_NOT_ALLOWED' }, clock.now()))
      }

      const epTransactionId = randomUUIDv7()
      const outcome = await ledger.award({
        ...award,
        partnerId,
        epTransactionId,
        salt: nextSalt(),
      })
      request.seenOutcome = outcome
      switch (outcome.kind) {
        case 'credited': {
          const { epTransactionId, points, partnerDayRemaining, dayResetsAt } = outcome
          reply.header('ep-partner-day-remaining', partnerDayRemaining)
          reply.header('ep-day-resets-at', isoTime(dayResetsAt))
          reply.header('content-type', 'application/json; charset=utf-8')
          return reply.code(202).send(creditedText({ epTransactionId, orderId: award.orderId, points }))
        }
        case 'duplicate': {
          const { epTransactionId, points } = outcome
          noteForLog(request, { code: 'DUPLICATE' })
          return reply.code(200).send({ epTransactionId, status: 'COMPLETED', points, code: 'DUPLICATE' })
        }
        case 'rejected':
          noteForLog(request, refusingCap(outcome.rejection))
          return sendProblem(request, reply, rejectionProblem(outcome.rejection, clock.now()))
      }
    },
  })
}

/** Which cap refused, for the log. */
function refusingCap(rejection: Rejection): LogNote {
  switch (rejection.code) {
    case 'PER_TX_CAP_EXCEEDED':
      return { cap: 'perTx', limit: rejection.limit, requested: rejection.requested }
    case 'DAILY_CAP_EXCEEDED':
      return { cap: rejection.cap, limit: rejection.limit, requested: rejection.requested }
    default:
      return {}
  }
}

const json = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i

function mediaTypeProblem({ raw }: FastifyRequest): Problem | null {
  const types = headerValues(raw, 'content-type')
  const refuse = (detail: string): Problem => ({ code: 'INVALID_REQUEST', status: 415, detail })
  if (types.length !== 1 || !json.test(types[0]!)) return refuse('Content-Type must be application/json')
  if (raw.headers['content-encoding'] !== undefined) return refuse('send the body without a Content-Encoding')
  return null
}
