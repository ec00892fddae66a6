import { integerBelow, type Random, randomFrom } from '../support/seeded-random.ts'
import { soundAward } from './award-mutation.ts'
import { exchange } from './exchange.ts'
import type { FuzzRequest, Material, Signer } from './fuzz-request.ts'
import { awardParts, type HttpParts, historyParts, lineOf, requestBytes } from './http-parts.ts'
import { Judge } from './judge.ts'
import { dumpOf, lookIntoLedger } from './look-into-ledger.ts'
import type { Target } from './target.ts'

type FlipReport = {
  /** Bits flipped, each in its own request. */
  flips: number
  /**
   * Flips after which the tenantId still decodes to what was signed (`%7A` and `%7a`): the same request by the rules
   * of the signature. There are no others: header values are compared as they are, an award's body is bytes.
   */
  equivalent: number
  answers: Map<string, number>
  violations: string[]
}

/** A signed request, and the places in it that are signed or that sign. */
type Original = { bytes: Buffer; ranges: Range[]; tenant: (Range & { id: string }) | null }
type Range = { start: number; end: number }

const connections = 8
const pipelined = 8
const triesMax = 5

/**
 * Every single bit of everything that is signed, or that signs, flipped in signed requests: half awards, half
 * histories. None may be ok, none may change the ledger; the requests themselves, sent last, must be ok.
 */
export async function flipBits(
  target: Target,
  material: Material,
  { seed, requests }: { seed: number; requests: number },
): Promise<FlipReport> {
  const random = randomFrom(seed)
  const judge = new Judge('bit flips', material)
  let flips = 0
  let equivalent = 0
  for (let index = 0; index < requests; index++) {
    const { acme } = material.signers
    const original = index % 2 === 0 ? anAward(acme, `flip${index}`, random) : aHistory(acme, index, random)
    const flipped = flipsOf(original)
    flips += flipped.length
    equivalent += flipped.filter(({ mayBeOk }) => mayBeOk).length
    const before = await lookIntoLedger(target.database, dumpOf)
    const queue = [...flipped]
    await Promise.all(Array.from({ length: connections }, () => sendAll(target, queue, judge)))
    const after = await lookIntoLedger(target.database, dumpOf)
    if (before !== after) judge.complain(`a flip in request ${index} changed the ledger`)
    await proveUnchanged(target, original, judge)
  }
  judge.readLog(target.takeLog())
  return { flips, equivalent, answers: judge.answers, violations: judge.violations }
}

/** Until each has its own response: what a broken one cut off behind it is sent again. */
async function sendAll(target: Target, queue: FuzzRequest[], judge: Judge): Promise<void> {
  let connection = target.connect()
  let tries = 0
  for (let batch = queue.splice(0, pipelined); batch.length > 0; batch.push(...queue.splice(0, pipelined))) {
    const result = await exchange(connection, batch)
    const answered = batch.splice(0, result.answers.length)
    if (answered.length > 0) judge.settle(answered, result)
    tries = answered.length === 0 ? tries + 1 : 0
    if (tries === triesMax) {
      judge.complain(`${batch[0]!.what} had no answer: ${result.fault}`)
      batch.shift()
    }
    if (result.closed) connection = target.connect()
  }
  connection.destroy()
}

async function proveUnchanged(target: Target, { bytes, tenant }: Original, judge: Judge): Promise<void> {
  const connection = target.connect()
  const [answer] = (await exchange(connection, [asRequest(bytes, 'unchanged', true)])).answers
  connection.destroy()
  if (answer?.status === (tenant === null ? 202 : 200)) return
  judge.complain(`a request was not ok even before the flips: ${answer?.status} ${answer?.text}`)
}

/** With forms of which a reader of JSON does not see every change: a tab is a CR by one bit, 1E3 is 1e3. */
const blindSpots = '"note"\t:\t"\\u00e9\\u00fF","meta":{"a":1E3,"b":"\\u004a"}\n'

function anAward(signer: Signer, orderId: string, random: Random): Original {
  const plain = soundAward(random, orderId).toString()
  const { note, meta } = JSON.parse(plain)
  const body = Buffer.from(
    note !== undefined || meta !== undefined ? plain : plain.replace(/\}(\s*)$/, `,${blindSpots}}$1`),
  )
  const parts = awardParts(signer, body, String(Date.now()))
  const bytes = requestBytes(parts)
  const range = { start: bytes.length - body.length, end: bytes.length }
  return { bytes, ranges: [...headerRanges(bytes, parts), range], tenant: null }
}

const spellings: [encoded: string, tenantId: string][] = [
  ['t1', 't1'],
  ['t2', 't2'],
  ['t%7A', 'tz'],
  ['%741', 't1'],
  ['tz', 'tz'],
]

function aHistory(signer: Signer, index: number, random: Random): Original {
  const [encoded, id] = spellings[((index - 1) / 2) % spellings.length]!
  const query = [`limit=${1 + integerBelow(random, 100)}`, `tenantId=${encoded}`]
  if (random() < 0.5) query.reverse()
  const parts = historyParts(signer, query.join('&'), id, String(Date.now()))
  const bytes = requestBytes(parts)
  const start = bytes.indexOf('tenantId=') + 'tenantId='.length
  const range = { start, end: start + encoded.length }
  return { bytes, ranges: [...headerRanges(bytes, parts), range], tenant: { ...range, id } }
}

function headerRanges(bytes: Buffer, parts: HttpParts): Range[] {
  return ['X-Api-Key', 'X-Timestamp', 'X-Signature'].map((name) => {
    const start = bytes.indexOf(`${name}: `) + name.length + 2
    return { start, end: start + lineOf(parts, name)[1].length }
  })
}

function flipsOf({ bytes, ranges, tenant }: Original): FuzzRequest[] {
  return ranges.flatMap(({ start, end }) =>
    Array.from({ length: (end - start) * 8 }, (_, bit) => {
      const flipped = Buffer.from(bytes)
      const at = start + (bit >> 3)
      flipped[at]! ^= 1 << (bit & 7)
      const isEquivalent =
        tenant?.start === start && decoded(flipped.toString('latin1', start, end)) === tenant.id
      return asRequest(flipped, `bit ${bit & 7} of byte ${at}`, isEquivalent)
    }),
  )
}

function decoded(value: string): string | null {
  try {
    return decodeURIComponent(value)
  } catch {
    return null
  }
}

function asRequest(bytes: Buffer, what: string, mayBeOk: boolean): FuzzRequest {
  const known = { whole: true, mayClose: false, isHead: false, award: null, authentic: false, sound: false }
  return { index: 0, what, bytes, mayBeOk, ...known }
}
