import { deepEqual } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { problems } from '../src/wire/problems/catalog.ts'
import { everyError, everyErrorCaps } from './support/every-error.ts'
import { startService } from './support/service.ts'
import { errorVectors } from './support/vectors.ts'

const transactionId = '01a1dd16-4a12-711f-b9f0-afc213733ff9'

describe('the errors of the contract are the ones that the service gives', async () => {
  const refusals = everyError(await startService({ after }, everyErrorCaps))

  for (const { name, headers, body, status } of errorVectors) {
    test(`${body.code}: ${name}`, async () => {
      const answer = await refusals[name]!()
      const given = Object.keys(headers).map((header) => [header, answer.headers.get(header)])
      const { epTransactionId } = answer.body
      const replaced = epTransactionId === undefined ? {} : { epTransactionId: transactionId }
      deepEqual(
        { status: answer.status, headers: Object.fromEntries(given), body: { ...answer.body, ...replaced } },
        { status, headers, body },
      )
    })
  }

  test('there is an example of every code, and a way to each example', () => {
    deepEqual(new Set(errorVectors.map(({ body }) => body.code)), new Set(Object.keys(problems)))
    deepEqual(
      errorVectors.map(({ name }) => name),
      Object.keys(refusals),
    )
  })
})
