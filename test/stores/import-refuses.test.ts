import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { exportKey } from '../../src/access/export-key.ts'
import { proveMasterKey } from '../../src/access/master-key.ts'
import { entryHash } from '../../src/rules/entry-hash.ts'
import { type DatabaseLocation, openStore } from '../../src/stores/open.ts'
import { type EntryRow, entryOf } from '../../src/stores/entry-row.ts'
import { carriedTables } from '../../src/stores/transfer/carried-tables.ts'
import { parseLine, rowLine } from '../../src/stores/transfer/export-format.ts'
import { anOrder } from '../support/sqlite-ledger.ts'
import { aStoreLedger } from '../support/store-ledger.ts'
import { storeKind } from '../support/fresh-database.ts'
import {
  anEmptyDatabase,
  exportOf,
  importInto,
  importStream,
  masterKey,
  rawDump,
  resealed,
  transferKey,
} from '../support/transfers.ts'
import { awardTogether } from '../support/award-together.ts'

const source = await aStoreLedger({ after })
const { store, clock } = source
await awardTogether(
  store.ledger,
  ['A1', 'A2', 'A3'].map((order) => anOrder(order)),
)
clock.advance(86_400_000)
await awardTogether(store.ledger, [anOrder('A4'), anOrder('A5', { note: 'last' })])
await awardTogether(store.ledger, [anOrder('B1', { tenantId: 't2' })])
await awardTogether(store.ledger, [anOrder('G1', { partnerId: 'globex' })])
await proveMasterKey(store.partners, Buffer.from(masterKey, 'base64'))

const file = await exportOf(source.database)
const lines = file.trimEnd().split('\n')
/** The index of a line, from 0. */
function find(part: string): number {
  const at = lines.findIndex((line) => line.includes(part))
  assert.notEqual(at, -1, part)
  return at
}
const tenant = find('"kind":"tenant","tenantId":"t2"')
const partner = find('"kind":"partner","partnerId":"globex"')
const audit = find('"kind":"audit"')
const [a2, a3, a5] = ['A2', 'A3', 'A5'].map((order) => find(`"orderId":"${order}"`)) as [
  number,
  number,
  number,
]

/** The file with the line at `at` replaced by any number of others. */
function replaced(at: number, ...others: string[]): string[] {
  return lines.toSpliced(at, 1, ...others)
}
function edited(at: number, from: string | RegExp, to: string): string[] {
  const line = lines[at]!.replace(from, to)
  assert.notEqual(line, lines[at])
  return replaced(at, line)
}
function swapped(a: number, b: number): string[] {
  return lines.with(a, lines[b]!).with(b, lines[a]!)
}
/** An entry with other content and a matching hash: what someone with the source code can make. */
function forged(at: number, change: Partial<EntryRow>): string[] {
  const changed = { ...entryAt(at), ...change }
  const hash = entryHash(entryOf(changed), entryAt(at - 1).hash)
  return replaced(at, rowLine('entry', { ...changed, hash }).trimEnd())
}
const asIs = (changed: string[]) => `${changed.join('\n')}\n`
/** As an error names it. */
const line = (at: number, text: string) => new RegExp(`^line ${at + 1}: .*${text}`)
const end = lines.length - 1

const damages: (readonly [what: string, file: string | Uint8Array, complaint: RegExp])[] = [
  ['nothing at all', '', /cut off: it ends after line 0/],
  ['only a header', asIs(lines.slice(0, 1)), /cut off: it ends after line 1/],
  ['no closing line', asIs(lines.slice(0, -1)), new RegExp(`cut off: it ends after line ${end}`)],
  ['half a line at its end', file.slice(0, file.indexOf('"orderId":"A2"')), line(a2, 'was cut off here')],
  ['half a closing line', file.slice(0, -20), line(end, 'was cut off here')],
  ['two closing lines', asIs([...lines, lines[end]!]), line(end + 1, 'follows the closing line')],
  ['a space behind its closing line', asIs(edited(end, /$/, ' ')), line(end, 'not the closing line')],
  ['a new field in its closing line', asIs(edited(end, '{', '{"x":1,')), line(end, 'not the closing line')],
  ['a count given twice', asIs(edited(end, '{', '{"entry":1,')), line(end, 'not the closing line')],
  ['something after its end', `${file}\n`, line(end + 1, 'follows the closing line')],
  ['another version', asIs(edited(0, '"version":4', '"version":5')), line(0, 'version 5 .* up to version 4')],
  ['another kind of file', 'Dear all,\n', line(0, 'is not JSON')],
  ['another kind of JSON', asIs(replaced(0, '{"hello":1}')), line(0, 'not an export of partner-credit')],
  ['no header', asIs(lines.slice(1)), line(0, 'not an export of partner-credit')],

  ['an edited setting', asIs(edited(partner, '"active"', '"suspended"')), line(end, 'not the ones')],
  [
    'an edited audit row',
    asIs(edited(audit, '"defaults seed"', '"defaults caps"')),
    line(end, 'not the ones'),
  ],
  ['other line ends', file.replaceAll('\n', '\r\n'), line(end, 'not the ones')],
  ['an edited entry', asIs(edited(a2, '"points":5', '"points":6')), line(a2, 'hash does not match')],
  ['an edited entry, resealed', resealed(edited(a2, '"lan@', '"minh@')), line(a2, 'hash does not match')],
  ['an edited hash', resealed(edited(a2, /"hash":"../, '"hash":"00')), line(a2, 'hash does not match')],
  ['a doubled entry', resealed(replaced(a2, lines[a2]!, lines[a2]!)), line(a2 + 1, 'the same entry')],
  [
    'a doubled tenant',
    resealed(replaced(tenant, lines[tenant]!, lines[tenant]!)),
    line(tenant + 1, 'the same tenant'),
  ],
  [
    'a doubled audit row',
    resealed(replaced(audit, lines[audit]!, lines[audit]!)),
    line(audit + 1, 'the same audit'),
  ],
  ['a missing audit row', asIs(replaced(audit)), line(end - 1, '5 lines of the kind audit, and here are 4')],
  ['a missing last entry', asIs(replaced(a5)), line(end - 1, 'of the kind entry')],
  ['a missing entry', resealed(replaced(a2)), line(a2, 'is missing or out of order')],
  ['swapped entries', resealed(swapped(a2, a3)), line(a3, 'must come before')],
  ['swapped tenants', resealed(swapped(tenant, tenant - 1)), line(tenant, 'must come before')],
  [
    'swapped kinds',
    resealed(swapped(audit, audit - 1)),
    line(audit, 'a keepsake must come before every audit'),
  ],

  ['a line that is no JSON', resealed(replaced(a2, lines[a2]!.slice(0, -1))), line(a2, 'is not JSON')],
  ['an empty line', resealed(replaced(a2, '', lines[a2]!)), line(a2, 'is not JSON')],
  ['a line that is no object', resealed(replaced(a2, '[]')), line(a2, 'is not a JSON object')],
  ['an unknown kind', resealed(replaced(a2, '{"kind":"user"}')), line(a2, '"user" is not a kind')],
  ['a kind that objects have', resealed(replaced(a2, '{"kind":"constructor"}')), line(a2, 'is not a kind')],
  [
    'an unknown field',
    resealed(edited(a2, '"kind":"entry"', '"kind":"entry","x":1')),
    line(a2, 'a field that no entry'),
  ],
  ['a missing field', resealed(edited(a2, '"note":null,', '')), line(a2, 'its note is missing')],
  ['null where none may be', resealed(edited(a2, '"points":5', '"points":null')), line(a2, 'its points')],
  ['a number as text', resealed(edited(a2, '"points":5', '"points":"5"')), line(a2, 'its points')],
  ['a fraction', resealed(edited(a2, '"points":5', '"points":5.5')), line(a2, 'its points')],
  [
    '2^53',
    resealed(edited(a2, '"rawAmount":5000', '"rawAmount":9007199254740992')),
    line(a2, 'its rawAmount'),
  ],
  ['a uuid in capitals', resealed(edited(a2, /"019a/, '"019A')), line(a2, 'its epTransactionId')],
  ['bytes in capitals', resealed(edited(a2, /"hash":"../, '"hash":"AA')), line(a2, 'its hash')],
  ['half a byte', resealed(edited(a2, /"hash":"./, '"hash":"')), line(a2, 'its hash')],
  ['a NUL', resealed(edited(a2, '"A2"', '"A\\u00002"')), line(a2, 'its orderId')],
  ['half a character', resealed(edited(a2, '"A2"', '"\\ud83d"')), line(a2, 'its orderId')],
  ['invalid UTF-8', notUtf8(asIs(edited(a2, '"A2"', '"~"'))), line(a2, 'is not UTF-8')],

  [
    'a status that does not exist',
    resealed(edited(partner, '"active"', '"asleep"')),
    line(partner, 'its status'),
  ],
  ['a grant without its tenant', resealed(replaced(tenant)), /^lines \d+ to \d+ cannot be loaded/],
  ['an order twice', resealed(forged(a5, { orderId: 'A1' })), /^lines \d+ to \d+ cannot be loaded/],
  ['a wrong user-day total', resealed(forged(a5, { userDayTotal: 11 })), /not sound: .*user-day total is 11/],
  ['a cap that was not kept', resealed(forged(a5, { perUserDay: 9 })), line(a5, 'exceed the perUserDay cap')],
]

const keyLine = find('"kind":"key"')
const grantLine = find('"kind":"grant"')
const keepsakeLine = find('"kind":"keepsake"')
const clearScreen = '\\u001b[2J'
/** Values that the service would never have issued or accepted, sealed correctly. */
const neverIssued: [what: string, file: string, complaint: RegExp][] = [
  ['a tenant', resealed(edited(tenant, '"t2"', '"z z"')), line(tenant, 'its tenantId must be 1 to 64')],
  [
    'a partner',
    resealed(edited(partner, '"globex"', `"globex${clearScreen}"`)),
    line(partner, 'its partnerId'),
  ],
  ['an empty name', resealed(edited(partner, /"name":"[^"]*"/, '"name":" "')), line(partner, 'its name')],
  ['a cap', resealed(edited(partner, '"perTx":null', '"perTx":-1')), line(partner, 'its perTx')],
  [
    'a rate',
    resealed(edited(partner, /"requestsPerSecond":null/, '"requestsPerSecond":0')),
    line(partner, 'its req'),
  ],
  ['a grant', resealed(edited(grantLine, '"acme"', '"ac me"')), line(grantLine, 'its partnerId')],
  ['a key id', resealed(edited(keyLine, /"key_/, '"kez_')), line(keyLine, 'its keyId')],
  [
    'a hash of an API key',
    resealed(edited(keyLine, /"apiKeyHash":".."?/, '"apiKeyHash":"')),
    line(keyLine, 'its apiKeyHash'),
  ],
  ['a keepsake', resealed(edited(keepsakeLine, '"master-', '"Master ')), line(keepsakeLine, 'its name')],
  [
    'an actor',
    resealed(edited(audit, /"actor":"/, `"actor":"${clearScreen}`)),
    line(audit, 'its actor must not'),
  ],
  ['a change', resealed(edited(audit, /"after":"./, '"after":"')), line(audit, 'its after is not JSON')],
  ['a default', resealed(edited(1, /"perTx":\d+/, '"perTx":-1')), line(1, 'its perTx')],
  [
    'an epTransactionId',
    resealed(forged(a5, { epTransactionId: '019a0000-0000-4000-8000-000000000000' })),
    line(a5, 'its epTransactionId'),
  ],
  [
    'an orderId',
    resealed(forged(a5, { orderId: 'A5\u001b[31m' })),
    line(a5, 'its orderId must not have control'),
  ],
  [
    'an orderId that is too long',
    resealed(forged(a5, { orderId: 'x'.repeat(201) })),
    line(a5, 'its orderId must have'),
  ],
  [
    'an address',
    resealed(forged(a5, { userEmail: 'nobody@localhost' })),
    line(a5, 'its userEmail must have a domain'),
  ],
  [
    'an address in capitals',
    resealed(forged(a5, { userEmail: 'LAN@x.vn' })),
    line(a5, 'its userEmail is not in lower'),
  ],
  ['a note', resealed(forged(a5, { note: '\u001b]0;x\u0007' })), line(a5, 'its note')],
  ['a meta that is no object', resealed(forged(a5, { meta: '5' })), line(a5, 'its meta')],
  [
    'a meta that brings another field',
    resealed(forged(a5, { meta: '{},"note":"x"' })),
    line(a5, 'its (note|meta)'),
  ],
  ['a meta with a doubled key', resealed(forged(a5, { meta: '{"a":1,"a":2}' })), line(a5, 'its meta')],
  ['an amount', resealed(forged(a5, { rawAmount: 0 })), line(a5, 'its rawAmount')],
]
const otherKey = exportKey(Buffer.alloc(32, 8))
const unsealed = createHash('sha256')
  .update(asIs(lines.slice(0, -1)))
  .digest('hex')
const version1 = resealed(edited(0, /"version":4,"macKey":"\w+"/, '"version":1'))
const notOurs: [what: string, file: string, complaint: RegExp][] = [
  [
    'sealed by somebody without the master key',
    resealed(lines, otherKey),
    line(end, 'are not the ones that export wrote'),
  ],
  [
    'with a SHA-256 for a seal',
    asIs(edited(end, /"mac":"\w+"/, `"mac":"${unsealed}"`)),
    line(end, 'not the ones'),
  ],
  [
    'under another master key',
    resealed(edited(0, transferKey.id, otherKey.id), otherKey),
    line(0, 'another master key .*set MASTER_KEY'),
  ],
  ['of the first format', version1, line(0, 'version 1 .* anybody could have written .*--accept-format-1')],
]
damages.push(
  ...neverIssued.map(
    ([what, ...rest]) => [`${what} that the service would never have let in`, ...rest] as const,
  ),
  ...notOurs.map(([what, ...rest]) => [`a file ${what}`, ...rest] as const),
)

const target = await anEmptyDatabase({ after }, storeKind)
await (await openStore(target)).close()
const empty = await rawDump(target)

describe('a damaged file is refused, and the database stays empty', () => {
  for (const [what, damaged, complaint] of damages) {
    test(what, async () => {
      await assert.rejects(importInto(target, damaged), ({ name, message }: Error) => {
        assert.equal(name, 'Error')
        assert.match(message, complaint)
        assert.doesNotMatch(message, /@|example/, 'an error names nobody')
        return true
      })
      assert.equal(await rawDump(target), empty)
    })
  }

  test('after all of them, the file as it was is loaded, even without its last newline', async () => {
    await importInto(target, file.trimEnd()) // some editors take the last newline away
    assert.equal(await rawDump(target), await rawDump(source.database))
  })
})

describe('a database that is not empty is refused and left as it is', () => {
  const fillings: [string, (database: DatabaseLocation) => Promise<unknown>][] = [
    ['one that holds a ledger', (database) => importInto(database, file)],
    ['one that was served once', (database) => storedValueIn(database)],
  ]
  for (const [what, fill] of fillings) {
    test(what, async (t) => {
      const target = await anEmptyDatabase(t, storeKind)
      await fill(target)
      const before = await rawDump(target)
      await assert.rejects(
        importInto(target, file),
        /is not empty \(it has \w+\): an import needs a database of its own/,
      )
      assert.equal(await rawDump(target), before)
    })
  }

  test('one into which another import is running', async (t) => {
    const target = await anEmptyDatabase(t, storeKind)
    const results = await Promise.allSettled([importInto(target, file), importInto(target, file)])
    assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    assert.equal(await rawDump(target), await rawDump(source.database))
  })
})

test('nothing is seen of an import before it has ended', async (t) => {
  const target = await anEmptyDatabase(t, storeKind)
  const importing = await openStore(target)
  const looking = await openStore(target)
  let seen: number | undefined
  async function* slowly(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(asIs(lines.slice(0, -1)))
    seen = (await looking.partners.partners()).length
    yield Buffer.from(lines[end]!)
  }
  await importStream(importing, slowly())
  assert.equal(seen, 0)
  assert.equal((await looking.partners.partners()).length, 2)
  await importing.close()
  await looking.close()
})

async function storedValueIn(database: DatabaseLocation): Promise<void> {
  const opened = await openStore(database)
  await opened.partners.putIfAbsent('master-key-check', Buffer.from('another'))
  await opened.close()
}

function entryAt(at: number): EntryRow {
  const parsed = parseLine(lines[at]!, { tables: carriedTables, seal: 'mac' })
  assert.ok(parsed.kind === 'entry')
  return parsed.row as EntryRow
}

function notUtf8(text: string): Uint8Array {
  const bytes = Buffer.from(text)
  bytes[bytes.indexOf('~')] = 0xff
  return bytes
}
