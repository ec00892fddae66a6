import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { test } from 'node:test'
import { anApi } from '../support/operator-api.ts'
import { startService } from '../support/service.ts'

/** More than the thread takes at a time. */
const strangers = 200

/** The ways in which a request may be without a sign-in, and what some of them are told. */
const crowds: [string, string, Record<string, string>, number][] = [
  ['without a sign-in', '/partners', {}, 401],
  ['with a token that nobody has', '/partners', { authorization: `Bearer pct_${'a'.repeat(43)}` }, 401],
  ['that ask who they are', '/session', { cookie: 'partner-credit-session=nobody' }, 200],
]
for (const [which, path, headers, told] of crowds) {
  test(`${strangers} connections ${which} take no place of an operator who is signed in`, async (t) => {
    const service = await startService(t, {}, { nodes: 1 })
    const token = await (await anApi(t, service)).token(['partners.read'])
    const agent = new Agent({ keepAlive: true, maxSockets: strangers })
    t.after(() => agent.destroy())
    const operator = { authorization: `Bearer ${token}` }
    const ask = (at: string, sent: Record<string, string>, by?: Agent) =>
      statusOf(`${service.operatorUrl}/operator/v1${at}`, sent, by)
    assert.equal(await ask('/names', operator), 200)

    const statuses = new Map<number, number>()
    const crowded = new AbortController()
    const crowd = Array.from({ length: strangers }, async () => {
      while (!crowded.signal.aborted) {
        const status = await ask(path, headers, agent)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    })
    const answers: number[] = []
    for (let left = 10; left > 0; left--) answers.push(await ask('/names', operator))
    crowded.abort()
    await Promise.all(crowd)
    assert.deepEqual(
      answers.filter((status) => status !== 200),
      [],
    )
    assert.ok((statuses.get(told) ?? 0) > 0, 'some of them are answered')
    assert.ok((statuses.get(503) ?? 0) > 0, 'there were more than the places')
  })
}

function statusOf(url: string, headers: Record<string, string>, agent?: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { headers, ...(agent === undefined ? {} : { agent }) }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode!))
    })
      .on('error', reject)
      .end()
  })
}
