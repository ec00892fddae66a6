import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InvalidArgumentError } from 'commander'
import {
  capArgument,
  durationArgument,
  nullIfDefault,
  rateArgument,
  repeated,
  timestampArgument,
} from './arguments.ts'

function refuses(read: (text: string) => unknown, texts: string[]): void {
  for (const text of texts) assert.throws(() => read(text), InvalidArgumentError, text)
}

test('a cap is whole EP up to 10^12, or default', () => {
  assert.equal(capArgument('0'), 0)
  assert.equal(capArgument('5000'), 5000)
  assert.equal(capArgument('1000000000000'), 1_000_000_000_000)
  assert.equal(capArgument('default'), 'default')
  refuses(capArgument, [
    '',
    '-1',
    '1.5',
    '1e3',
    'lots',
    ' 5',
    '5 ',
    'Default',
    '1000000000001',
    '9007199254740991',
    '99999999999999999',
  ])
  assert.throws(() => capArgument('1000000000001'), /at most 1000000000000/)
})

test('a rate is 1 to 999999 requests a second, or default', () => {
  assert.equal(rateArgument('1'), 1)
  assert.equal(rateArgument('999999'), 999_999)
  assert.equal(rateArgument('default'), 'default')
  refuses(rateArgument, ['', '0', '-1', '1.5', '1000000', '010', 'none'])
})

test('default is null for the use cases, and what was not given stays not given', () => {
  assert.equal(nullIfDefault('default'), null)
  assert.equal(nullIfDefault(0), 0)
  assert.equal(nullIfDefault(undefined), undefined)
})

test('a duration has a unit; only 0 needs none', () => {
  assert.equal(durationArgument('0'), 0)
  assert.equal(durationArgument('90s'), 90_000)
  assert.equal(durationArgument('30m'), 1_800_000)
  assert.equal(durationArgument('24h'), 86_400_000)
  assert.equal(durationArgument('7d'), 604_800_000)
  refuses(durationArgument, ['', '24', '-1h', '1.5h', '24 h', 'h', '24H', '1w', '0x1h', '9999999s'])
})

test('a timestamp is the text of milliseconds, kept as it was given', () => {
  assert.equal(timestampArgument('1700000000000'), '1700000000000')
  refuses(timestampArgument, ['', '0', '-1', '01', '1.5', 'now', '12345678901234567'])
})

test('an option given several times is a list, in that order', () => {
  assert.deepEqual(repeated('b', repeated('a', undefined)), ['a', 'b'])
})
