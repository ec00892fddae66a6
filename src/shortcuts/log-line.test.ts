import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino, { type DestinationStream, type Logger } from 'pino'
import { simpleLogLine } from '../../test/support/simple-versions.ts'
import { collectLines, writeLogLine } from './log-line.ts'

const fields = {
  requestId: 'r-1 "é"\n',
  route: null,
  status: 202,
  durationMs: 1.23,
  partnerId: 'acme',
  code: undefined,
}

const now = Date.UTC(2026, 10, 16, 17)
const isoTime = (ms: number) => new Date(ms).toISOString()
const line = { level: 30, time: now, ...fields, msg: 'request' }

test('a line is the one that pino writes', () => {
  const { log: ours, lines } = aLog((stream) => stream)
  const { log: pinos, lines: expected } = aLog((stream) => stream)
  writeLogLine(ours, line)
  simpleLogLine(pinos, fields, 'request')
  assert.deepEqual(lines, expected)
  assert.equal(lines.length, 1)
})

test('collected lines are the ones that pino writes, in the order in which they were given', () => {
  const { log: ours, lines } = aLog((stream) => collectLines(stream, isoTime))
  const { log: pinos, lines: expected } = aLog((stream) => stream)
  for (let number = 1; number <= 100; number++) {
    writeLogLine(ours, { ...line, status: number })
    simpleLogLine(pinos, { ...fields, status: number }, 'request')
    if (number % 40 !== 0) continue
    // A line that pino writes itself.
    for (const log of [ours, pinos]) log.warn('a warning')
    assert.deepEqual(lines, expected)
  }
})

test('no more than 31 lines wait, and none of them after writeCollected', () => {
  const lines: string[] = []
  const collected = collectLines({ write: (text) => void lines.push(text) }, isoTime)
  const log = pino({}, collected)
  for (let number = 1; number <= 32; number++) {
    assert.equal(lines.length, 0)
    writeLogLine(log, line)
  }
  assert.equal(lines.length, 32)
  writeLogLine(log, line)
  collected.writeCollected()
  assert.equal(lines.length, 33)
})

function aLog(through: (stream: DestinationStream) => DestinationStream): { log: Logger; lines: string[] } {
  const lines: string[] = []
  const timestamp = () => `,"time":"${new Date(now).toISOString()}"`
  const log = pino({ base: null, timestamp }, through({ write: (text) => void lines.push(text) }))
  return { log, lines }
}
