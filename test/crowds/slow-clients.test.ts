import { equal, ok } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setInterval as every } from 'node:timers/promises'
import { anAwardBody } from '../support/client.ts'
import { assertProblem, assertSoundAndDiscreet, privateFields } from '../support/problem-assertions.ts'
import { headerLines, requestText, sendRaw } from '../support/raw-http.ts'
import { startService } from '../support/service.ts'

const service = await startService({ after })
const { acme, url } = service
await acme.award(privateFields)
const before = await service.dump()

const body = JSON.stringify(anAwardBody(privateFields))
const lines = ['Host: localhost', 'Content-Type: application/json', ...headerLines(acme.headers(body))]
const requestLine = 'POST /v1/ep/webhook HTTP/1.1'
const whole = requestText(requestLine, [...lines, `Content-Length: ${body.length}`], body)
const unfinishedHead = requestText(requestLine, lines).slice(0, -4)

/** A client that sends a little once a second, so that it is never silent. */
async function* drip(start: string, more: string): AsyncGenerator<string> {
  yield start
  for await (const _ of every(1000)) yield more
}

describe('what has not arrived whole within 10 s is 408 within 15 s, closed, and not run', {
  concurrency: true,
}, () => {
  const cases: [string, string | AsyncIterable<string>][] = [
    ['nothing at all', ''],
    ['a request line alone', `${requestLine}\r\n`],
    ['headers that stop', unfinishedHead],
    ['headers that drip', drip(unfinishedHead, '\r\nX-More: 1')],
    ['a body shorter than declared', whole.slice(0, -1)],
    ['a body that drips', drip(whole.slice(0, -body.length), ' ')],
    [
      'chunks that stop',
      requestText(requestLine, [...lines, 'Transfer-Encoding: chunked'], '5\r\nhello\r\n'),
    ],
    ['a body on an unknown path that stops', whole.slice(0, -1).replace('/v1/ep/webhook', '/unknown')],
    ['a body of another type that stops', whole.slice(0, -1).replace('application/json', 'text/plain')],
  ]
  for (const [what, bytes] of cases) {
    test(what, async () => {
      const startedAt = performance.now()
      let seconds = 0
      const counting = setInterval(() => seconds++, 1000)
      const answer = await sendRaw(url, bytes, { quietMs: 120_000 })
      clearInterval(counting)
      const tookMs = performance.now() - startedAt
      assertProblem(answer, { status: 408, code: 'INVALID_REQUEST' })
      equal(answer.closed, true)
      ok(tookMs > 9_500, `answered after ${tookMs} ms`)
      // Counted by a timer of the process that serves: where that gets no time, neither of them goes on.
      ok(seconds < 15, `answered after ${seconds} s`)
    })
  }
})

test('afterwards the ledger is what it was, sound, and the log holds nothing private', async () => {
  equal(await service.dump(), before)
  await assertSoundAndDiscreet(service)
})
