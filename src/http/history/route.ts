import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { KeyDirectory } from '../../access/key-directory.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { decodeQuery, readHistoryQuery, signedTenantId } from '../../rules/history-query.ts'
import { type Problem, sendProblem } from '../../wire/problem.ts'
import { noteForLog } from '../../wire/request-log.ts'
import { thenInTurn } from '../../wire/later-turns.ts'
import { discardBody } from '../../wire/unread-body.ts'
import type { CallerCheck } from '../caller.ts'
import { markSandbox } from '../mark-sandbox.ts'

/** GET /v1/ep/webhook/awards: reads by the account's sequence numbers and never waits for a commit. */
export function historyRoute(
  app: FastifyInstance,
  {
    keys,
    callerOf,
    ledger,
    beforeResponse,
  }: {
    keys: Pick<KeyDirectory, 'catchUp'>
    callerOf: CallerCheck
    ledger: Ledger
    beforeResponse(request: FastifyRequest): void
  },
): void {
  const onSend = (request: FastifyRequest, _reply: unknown, _payload: unknown, next: () => void) => {
    beforeResponse(request)
    next()
  }
  app.get('/v1/ep/webhook/awards', { onSend }, async (request, reply) => {
    if (hasBody(request)) await discardBody(request, reply)
    const decoded = decodeQuery(queryOf(request))
    const signed = signedTenantId(decoded)
    if (!signed.ok) return sendProblem(request, reply, brokenRules(signed.errors))

    const catchUp = keys.catchUp()
    if (catchUp !== undefined) await thenInTurn(request.raw, 0, catchUp)
    const payloadName = 'the tenantId query value'
    const identified = callerOf(request, { payload: signed.tenantId, body: new Uint8Array(), payloadName })
    if (identified.caller !== null) markSandbox(reply, identified.caller, signed.tenantId)
    if (!identified.ok) return sendProblem(request, reply, identified.problem)
    const { partnerId, tenants } = identified.caller

    if (hasBody(request)) return sendProblem(request, reply, bodyOnGet)
    const checked = readHistoryQuery(decoded, partnerId)
    if (!checked.ok) return sendProblem(request, reply, brokenRules(checked.errors))

    const { tenantId, limit, beforeSeq } = checked.query
    noteForLog(request, { tenantId })
    if (!tenants.has(tenantId)) {
      const detail = 'tenantId is not among your allowedTenants'
      return sendProblem(request, reply, { code: 'TENANT_NOT_ALLOWED', detail })
    }
    const page = await ledger.historyPage({ partnerId, tenantId, beforeSeq, limit })
    return reply.header('content-type', 'application/json; charset=utf-8').send(page)
  })
}

function queryOf({ raw }: FastifyRequest): string {
  const start = raw.url!.indexOf('?')
  return start < 0 ? '' : raw.url!.slice(start + 1)
}

function hasBody({ raw }: FastifyRequest): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers
  return encoding !== undefined || (length !== undefined && Number(length) > 0)
}

function brokenRules(errors: { parameter: string; detail: string }[]): Problem {
  const detail = 'the query breaks the rules listed in "errors"'
  return { code: 'INVALID_REQUEST', detail, members: { errors } }
}

const bodyOnGet: Problem = {
  code: 'INVALID_REQUEST',
  detail: 'a history request must not have a body',
  members: { errors: [{ pointer: '', detail: 'must be empty' }] },
}
