import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import pino from 'pino'
import { createRequestLog, noteForLog } from './request-log.ts'

function linesAt(level: string, headers: Record<string, string> = {}): Record<string, unknown>[] {
  const lines: string[] = []
  const log = pino({ base: null, level }, { write: (line: string) => void lines.push(line) })
  const asked = { id: 'r-1', method: 'POST', headers, logNote: null }
  const request = asked as unknown as FastifyRequest
  noteForLog(request, { partnerId: 'acme', keyId: 'k-1' })
  noteForLog(request, { code: 'DUPLICATE' })
  createRequestLog(log)(request, {
    route: '/v1/ep/webhook',
    status: 200,
    durationMs: 1.23456,
    clientAddress: '192.0.2.7',
  })
  for (const line of lines) assert.ok(line.endsWith('}\n'))
  return lines.map((line) => JSON.parse(line))
}

test('a request is one line of the fields that are allowed, without those that have no value', () => {
  const [line, ...more] = linesAt('info', { traceparent: 'not one', 'x-api-key': 'pck_secret' })
  assert.deepEqual(more, [])
  const { time, ...fields } = line!
  assert.equal(new Date(time as string).toISOString(), time)
  assert.deepEqual(fields, {
    level: 30,
    requestId: 'r-1',
    method: 'POST',
    route: '/v1/ep/webhook',
    status: 200,
    durationMs: 1.23,
    partnerId: 'acme',
    keyId: 'k-1',
    code: 'DUPLICATE',
    clientAddress: '192.0.2.7',
    msg: 'request',
  })
})

test('a log that is to be quieter has no line for a request', () => {
  assert.deepEqual(linesAt('warn'), [])
})
