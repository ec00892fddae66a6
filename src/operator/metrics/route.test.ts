import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Fastify from 'fastify'
import { metricsRoute } from './route.ts'

test('a flood of scrapes, one after the other, is served by few: each costs time in which no award is served', async (t) => {
  const app = Fastify()
  t.after(() => app.close())
  let counted = 0
  const metrics = {
    counted() {
      counted++
      return []
    },
    readSlowly: async () => [],
    end() {},
  }
  metricsRoute(app, { metrics, others: async () => [], access: async () => null })
  const scrape = () => app.inject('/metrics')
  equal((await scrape()).statusCode, 200)
  const scrapes = []
  for (let number = 1; number <= 50; number++) {
    scrapes.push(scrape())
    await nextTurn()
  }
  for (const { statusCode } of await Promise.all(scrapes)) equal(statusCode, 200)
  // A few, and more on a machine that stands still in between.
  ok(counted < 25, `${counted} of 51`)
})
