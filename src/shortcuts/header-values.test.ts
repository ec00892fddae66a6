import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { requestWith, simpleHeaderValues } from '../../test/support/simple-versions.ts'
import { headerValues } from './header-values.ts'

test('the values of a header are those that Node finds, however often and in whatever case it was sent', () => {
  const names = fc.constantFrom('X-Api-Key', 'x-api-key', 'X-API-KEY', 'x-api-kex', 'Accept', 'X-Timestamp')
  const headers = fc.array(fc.tuple(names, fc.stringMatching(/^[!-~]{0,8}$/)), { maxLength: 12 })
  fc.assert(
    fc.property(headers, fc.constantFrom('x-api-key', 'x-timestamp', 'accept'), (sent, name) => {
      const request = requestWith(sent.flat())
      assert.deepEqual(headerValues(request, name), simpleHeaderValues(request, name))
    }),
  )
})
