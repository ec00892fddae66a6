import { DatabaseSync } from 'node:sqlite'
import pino from 'pino'
import { table } from '../src/cli/output.ts'
import { AccountMap } from '../src/shortcuts/account-map.ts'
import { batchText, readBatch } from '../src/shortcuts/batch-text.ts'
import { creditedText } from '../src/shortcuts/credited-text.ts'
import { FieldDigest } from '../src/shortcuts/field-digest.ts'
import { headerValues } from '../src/shortcuts/header-values.ts'
import { HmacKey } from '../src/shortcuts/hmac-key.ts'
import { createIsoTimes } from '../src/shortcuts/iso-time.ts'
import { collectLines, writeLogLine } from '../src/shortcuts/log-line.ts'
import { prepareRowArrays } from '../src/shortcuts/row-arrays.ts'
import { createSalts } from '../src/shortcuts/salts.ts'
import { WaitingLine } from '../src/shortcuts/waiting-line.ts'
import { anAward } from '../test/support/awards.ts'
import {
  requestWith,
  SimpleAccountMap,
  simpleCreditedText,
  simpleFieldDigest,
  simpleHeaderValues,
  simpleHmac,
  simpleIsoTimes,
  simpleLogLine,
  simplePassage,
  simpleRows,
  simpleSalts,
} from '../test/support/simple-versions.ts'

/**
 * npm run shortcuts: what each file of src/shortcuts gains over the simple code that it replaces. Both run in turn, in
 * one process, on what an award, a page or a batch gives them.
 */
type Shortcut = { file: string; per: string; simple(): unknown; fast(): unknown }

const rounds = 40
const roundMs = 10

const body = Buffer.from(JSON.stringify({ tenantId: 'tenant-1', orderId: 'order-123456', amount: 12_000 }))
const stamp = Buffer.from('1763300000.')
const secret = 'pcs_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTEyMzQ'
const key = new HmacKey(secret)

const digest = new FieldDigest()
const texts = ['partner-01', 'tenant-1', '019a0000-0000-7000-8000-000000000001', 'order-123456']
const numbers = [17, 12_000, 1000, 12, 1_763_300_000_000, 10_000, 1_000_000, 20_000, 412, 24]
const hash = new Uint8Array(32).fill(7)
const fields = [hash, ...texts, hash, ...numbers]

const names = ['Host', 'Accept', 'User-Agent', 'Content-Type', 'X-Api-Key', 'X-Timestamp', 'X-Signature']
const rawHeaders = [...names, 'Content-Length', 'Connection'].flatMap((name) => [name, 'a value'])
/** A new one each time, for both: Node keeps the sorted headers of a request. */
const fourHeadersOf = (read: typeof headerValues | typeof simpleHeaderValues) => {
  const request = requestWith(rawHeaders)
  return fourHeaders.map((name) => read(request, name))
}

const pageTimes = Array.from({ length: 100 }, (_, index) => 1_763_300_000_000 + 137 * index)
const commands = Array.from({ length: 32 }, (_, index) => anAward({ orderId: `order-${index}` }))
const saltBytes = 16
const [nextSimpleSalt, nextSalt] = [simpleSalts(saltBytes), createSalts(saltBytes)]

const credited = { epTransactionId: texts[2]!, orderId: texts[3]!, points: 12 }

const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write: () => {} })
const collectingLog = pino({}, collectLines({ write: () => {} }, createIsoTimes()))
const logFields = {
  requestId: '0d1cbb14-62a8-4f2c-9a4f-5dd4a3a8bb3c',
  method: 'POST',
  route: '/v1/ep/webhook',
  status: 202,
  durationMs: 1.23,
  partnerId: 'acme',
  keyId: 'key_1c00ebd51e65fc06',
  tenantId: 't1',
}

const database = new DatabaseSync(':memory:')
database.exec(
  'CREATE TABLE entries (seq INTEGER PRIMARY KEY, id TEXT, order_id TEXT, user_email TEXT, points INTEGER)',
)
for (let seq = 1; seq <= 101; seq++) {
  const insert = database.prepare('INSERT INTO entries VALUES (?, ?, ?, ?, ?)')
  insert.run(seq, texts[2]!, `order-${seq}`, `user-${seq}@example.com`, 12)
}
const selectPage =
  'SELECT seq, id, order_id AS orderId, user_email AS userEmail, points FROM entries ORDER BY seq DESC LIMIT ?'
const pageStatement = database.prepare(selectPage)
type PageRow = [number, string, string, string, number]
const pageRows = prepareRowArrays(
  database.prepare(selectPage),
  ([seq, id, orderId, userEmail, points]: PageRow) => ({ seq, id, orderId, userEmail, points }),
)

const accountIds = Array.from({ length: 1000 }, (_, index) => ({
  partnerId: Buffer.from(`partner-${String(index % 100).padStart(2, '0')}`),
  tenantId: Buffer.from(`tenant-${Math.floor(index / 100)}`),
}))
/** New texts each time, as verify reads them. */
const accountsRead = () =>
  accountIds.map(({ partnerId, tenantId }) => ({
    partnerId: partnerId.toString('latin1'),
    tenantId: tenantId.toString('latin1'),
  }))
const [simpleAccounts, accounts] = [new SimpleAccountMap<object>(), new AccountMap<object>()]
for (const account of accountsRead()) for (const map of [simpleAccounts, accounts]) map.set(account, account)

const waiting = Array.from({ length: 1000 }, (_, index) => ({ index }))
const set = new Set(waiting)
const line = new WaitingLine<object>()
for (const item of waiting) line.join(item)

const shortcuts: Shortcut[] = [
  {
    file: 'hmac-key',
    per: 'signature',
    simple: () => simpleHmac(secret, stamp, body),
    fast: () => key.hmac(stamp, body),
  },
  {
    file: 'field-digest',
    per: 'entry',
    simple: () => simpleFieldDigest(fields),
    fast: () => {
      digest.begin()
      digest.writeBytes(hash)
      for (const text of texts) digest.writeText(text)
      digest.writeBytes(hash)
      for (const number of numbers) digest.writeInteger(number)
      return digest.finish()
    },
  },
  {
    file: 'account-map',
    per: '1,000 accounts, and reading their ids',
    simple: () => accountsRead().map((account) => simpleAccounts.get(account)),
    fast: () => accountsRead().map((account) => accounts.get(account)),
  },
  {
    file: 'iso-time',
    per: 'page of 100 times',
    simple: () => pageTimes.map(simpleIsoTimes()),
    fast: () => pageTimes.map(createIsoTimes()),
  },
  {
    file: 'credited-text',
    per: 'response',
    simple: () => simpleCreditedText(credited),
    fast: () => creditedText(credited),
  },
  {
    file: 'log-line',
    per: 'request',
    simple: () => simpleLogLine(log, logFields, 'request'),
    fast: () => writeLogLine(collectingLog, { level: 30, time: Date.now(), ...logFields, msg: 'request' }),
  },
  {
    file: 'row-arrays',
    per: 'page of 101 rows, and its JSON',
    simple: () => JSON.stringify(simpleRows(pageStatement, 101)),
    fast: () => JSON.stringify(pageRows(101)),
  },
  { file: 'salts', per: 'salt', simple: nextSimpleSalt, fast: nextSalt },
  {
    file: 'header-values',
    per: 'request, 4 headers of 9',
    simple: () => fourHeadersOf(simpleHeaderValues),
    fast: () => fourHeadersOf(headerValues),
  },
  {
    file: 'waiting-line',
    per: 'join and leave, 1,000 waiting',
    simple: () => {
      const first = set.values().next().value!
      set.delete(first)
      set.add(first)
    },
    fast: () => line.join(line.shift()!),
  },
  {
    file: 'batch-text',
    per: 'batch of 32 awards',
    simple: () => simplePassage({ commands, now: 1 }),
    fast: () => readBatch(simplePassage(batchText({ commands, now: 1 }))),
  },
]

const fourHeaders = ['content-type', 'x-api-key', 'x-timestamp', 'x-signature']

function nanoseconds(work: () => unknown): number {
  const start = performance.now()
  let count = 0
  while (performance.now() - start < roundMs) {
    for (let index = 0; index < 16; index++) work()
    count += 16
  }
  return ((performance.now() - start) * 1e6) / count
}

const rows = shortcuts.map(({ file, per, simple, fast }) => {
  const measured = Array.from({ length: rounds + 2 }, () => [nanoseconds(simple), nanoseconds(fast)] as const)
  const counted = measured.slice(2) // the first ones warm up
  // The fastest round of each: other work on the machine only adds to it.
  const [slow, quick] = ([0, 1] as const).map((at) => Math.min(...counted.map((round) => round[at])))
  const shown = [slow!, quick!].map((ns) => Math.round(ns).toLocaleString('en-US'))
  return [file, per, ...shown, (slow! / quick!).toFixed(1)]
})
console.log(table(['shortcut', 'for one', 'simple, ns', 'shortcut, ns', 'simple ÷ shortcut'], rows))
