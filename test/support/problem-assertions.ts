import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import type { Answer } from './client.ts'
import type { TestService } from './service.ts'

type ExpectedProblem = {
  status: number
  code: string
  /** The operator's port has no pages about errors. */
  port?: 'partner' | 'operator'
  /** All places that `errors` must name: pointers into the body or parameters of the query. */
  names?: string[]
}

/** Personal data that all contains one word, so that any leak of it is found. */
export const privateFields = {
  userEmail: 'lan.private@example.com',
  note: 'a private note',
  meta: { shelf: 'private' },
}

const privateOrSecret = /private|pck_|pcs_/i

/** The form of every error. */
export function assertProblem(
  answer: Answer,
  { status, code, names, port = 'partner' }: ExpectedProblem,
): void {
  const { headers, body, text } = answer
  equal(`${answer.status} ${body?.code}`, `${status} ${code}`, text)
  equal(headers.get('content-type'), 'application/problem+json; charset=utf-8')
  equal(body.type, port === 'partner' ? `/docs/errors/${code}` : 'about:blank')
  equal(body.status, status)
  for (const member of ['title', 'detail', 'requestId']) match(body[member], /\S/, `${member} is missing`)
  equal(headers.get('x-request-id'), body.requestId)
  equal(headers.get('access-control-allow-origin'), null)
  doesNotMatch(text, privateOrSecret)
  if (names === undefined) return
  const errors: { pointer?: string; parameter?: string; detail: string }[] = body.errors
  const named = new Set(errors.map(({ pointer, parameter }) => pointer ?? parameter))
  deepEqual([...named].sort(), names.toSorted(), text)
  for (const { detail } of errors) match(detail, /\S/)
}

export function assertUnavailable(answer: Answer, port: ExpectedProblem['port'] = 'partner'): void {
  assertProblem(answer, { status: 503, code: 'UNAVAILABLE', port })
  match(answer.headers.get('retry-after') ?? '', /^[1-9][0-9]*$/)
}

/** A refusal has that form and records nothing: a dump before equals a dump after. */
export async function assertRefused<T extends Answer>(
  service: TestService,
  expected: ExpectedProblem,
  send: () => Promise<T>,
): Promise<T> {
  const before = await service.dump()
  const answer = await send()
  assertProblem(answer, expected)
  equal(await service.dump(), before, 'a refusal changed the ledger')
  return answer
}

/** What must hold after a file of bad inputs was sent to the service. */
export async function assertSoundAndDiscreet(service: TestService): Promise<void> {
  const { sound, fault, entries } = await service.verify()
  ok(sound, fault ?? '')
  ok(entries > 0, 'without an award nothing was proved')
  doesNotMatch(service.log.join(''), privateOrSecret)
}
