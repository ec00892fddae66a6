import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino, { type Logger } from 'pino'
import { simpleLogLine } from '../../test/support/simple-versions.ts'
import { writeLogLine } from './log-line.ts'

const fields = {
  requestId: 'r-1 "é"\n',
  route: null,
  status: 202,
  durationMs: 1.23,
  partnerId: 'acme',
  code: undefined,
}

test('a line is the one that pino writes', () => {
  const time = '2026-11-16T17:00:00.000Z'
  const ours = linesOf((log) => writeLogLine(log, { level: 30, time, ...fields, msg: 'request' }))
  const pinos = linesOf((log) => simpleLogLine(log, fields, 'request'), time)
  assert.deepEqual(ours, pinos)
  assert.equal(ours.length, 1)
})

function linesOf(write: (log: Logger) => void, time = ''): string[] {
  const lines: string[] = []
  const timestamp = () => `,"time":"${time}"`
  write(pino({ base: null, timestamp }, { write: (line: string) => void lines.push(line) }))
  return lines
}
