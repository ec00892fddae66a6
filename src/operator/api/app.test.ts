import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import type { Guard } from '../access/guard.ts'
import type { Identity } from '../access/identify.ts'
import { createApi } from './app.ts'
import type { CallParts } from './parts.ts'
import { route } from './route.ts'
import { injectPassed } from './thread/inject-passed.ts'

for (const method of ['GET', 'POST'] as const)
  test(`however many ask at once by ${method}, a few answers are made at a time, and each is sent before the next one is made`, async () => {
    const [made, sent] = [[] as number[], [] as number[]]
    let unsentMost = 0
    const list = route({
      method,
      path: '/list',
      tag: 'Records',
      summary: 'A list',
      needs: 'audit.read',
      response: Type.Array(Type.String()),
      async handle() {
        made.push(made.length)
        unsentMost = Math.max(unsentMost, made.length - sent.length)
        return { body: ['a row'] }
      },
    })
    const identity = { permissions: new Set(['audit.read']) } as unknown as Identity
    const guard: Guard = { admit: async () => ({ identity }), recordRead: async () => {} }
    const app = createApi({
      routes: [list],
      guard,
      openParts: () => ({ close: async () => {} }) as CallParts,
      onFailure: assert.fail,
    })
    const request = { method, url: '/operator/v1/list', headers: {}, body: null, address: null }
    const asked = Array.from({ length: 60 }, async (_, number) => {
      const { status } = await injectPassed(app, { ...request, requestId: `r${number}`, now: 0 })
      assert.equal(status, 200)
      sent.push(number)
    })
    await Promise.all(asked)
    assert.equal(made.length, 60)
    assert.ok(unsentMost <= 4, `${unsentMost} were made and not yet sent`)
  })
