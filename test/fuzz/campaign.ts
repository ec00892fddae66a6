import { verifyLedger } from '../../src/proof/verify.ts'
import { integerBelow, randomFrom } from '../support/seeded-random.ts'
import { soundAward } from './award-mutation.ts'
import { drawRequest, type Mix } from './draw-request.ts'
import { exchange } from './exchange.ts'
import { chance, type FuzzRequest, type Material, type Signers } from './fuzz-request.ts'
import { awardParts, requestBytes } from './http-parts.ts'
import { Judge } from './judge.ts'
import { dumpOf, lookIntoLedger } from './look-into-ledger.ts'
import type { Target } from './target.ts'

type CampaignOptions = {
  seed: number
  requests: number
  /** Between rounds no request is sent, and ledger, log and memory are checked. */
  rounds: number
  mix: Mix
  onProgress(done: number): void
}

export type CampaignReport = {
  sent: number
  answers: Map<string, number>
  /** Of what was sent and not refused: what was credited although its connection had ended, what was cut off by a close. */
  credited: number
  unheard: number
  cutOff: number
  refusedOnlyRounds: number
  residentBytes: number[]
  violations: string[]
}

const connections = 32
const pipelineMax = 16
/** One in this many rounds sends nothing that could be credited, and the whole ledger is dumped before and after it. */
const refusedOnlyEvery = 5

/** Sends the requests of a seed to a target, round by round, and checks every response, the log and the ledger. */
export async function runCampaign(
  target: Target,
  signers: Signers,
  { seed, requests, rounds, mix, onProgress }: CampaignOptions,
): Promise<CampaignReport> {
  const material: Material = { signers, now: Date.now, refusedOnly: false, cursors: [], credited: [] }
  const judge = new Judge(target.name, material)
  const residentBytes: number[] = []
  let next = 0
  let refusedOnlyRounds = 0

  async function sendUpTo(bound: number, worker: number): Promise<void> {
    const random = randomFrom(seed ^ (bound * connections + worker))
    let connection = target.connect()
    while (next < bound) {
      const size = chance(random, 0.3) ? 1 : 1 + integerBelow(random, pipelineMax)
      const batch = takeBatch(size, bound, chance(random, 0.2))
      if (connection.destroyed || !connection.writable || chance(random, 0.02)) {
        connection.destroy()
        connection = target.connect()
      }
      const pieces = chance(random, 0.1) ? 1 + integerBelow(random, 20) : 1
      judge.settle(batch, await exchange(connection, batch, { pieces }))
      onProgress(next / requests)
    }
    connection.destroy()
  }
  /** What closes the connection comes last, unless it is `careless`; an incomplete request always comes last. */
  function takeBatch(size: number, bound: number, careless: boolean): FuzzRequest[] {
    const batch: FuzzRequest[] = []
    while (batch.length < size && next < bound) {
      const request = drawRequest(seed, next++, mix, material)
      batch.push(request)
      if (!request.whole || (request.mayClose && !careless)) break
    }
    return batch
  }

  const stalled = stallSome(target, judge, { seed, count: Math.floor(requests / 10_000), mix, material })
  for (let round = 1; round <= rounds; round++) {
    material.refusedOnly = round % refusedOnlyEvery === 0
    const before = material.refusedOnly ? await lookIntoLedger(target.database, dumpOf) : null
    const bound = Math.floor((requests * round) / rounds)
    await Promise.all(Array.from({ length: connections }, (_, worker) => sendUpTo(bound, worker)))
    const after = material.refusedOnly ? await lookIntoLedger(target.database, dumpOf) : null
    if (before !== after) judge.complain(`the ledger changed in round ${round}, which was all refusals`)
    if (material.refusedOnly) refusedOnlyRounds++
    judge.addAll(await lookIntoLedger(target.database, (snapshot) => judge.expected.differences(snapshot)))
    judge.readLog(target.takeLog())
    const ended = target.ended()
    if (ended !== null) {
      judge.violations.unshift(`${target.name}: ${ended}`) // before all the complaints that it caused
      break
    }
    residentBytes.push(target.residentBytes())
  }
  await stalled
  await sendLastAward(target, signers, judge)
  judge.addAll(await lookIntoLedger(target.database, (snapshot) => judge.expected.differences(snapshot)))
  const { sound, fault, entries } = await lookIntoLedger(target.database, (snapshot) =>
    verifyLedger(snapshot, () => {}),
  )
  if (!sound) judge.complain(`the ledger is not sound: ${fault}`)
  if (entries !== judge.expected.size) judge.complain(`${entries} entries, ${judge.expected.size} expected`)
  const { answers, cutOff, violations } = judge
  const { size: credited, unheard } = judge.expected
  return { sent: next, answers, credited, unheard, cutOff, refusedOnlyRounds, residentBytes, violations }
}

/** After all that, an honest partner is served as before. */
async function sendLastAward(target: Target, { acme }: Signers, judge: Judge): Promise<void> {
  const body = soundAward(randomFrom(0), 'the-last')
  const known = { whole: true, mayClose: false, isHead: false, mayBeOk: true, authentic: true, sound: true }
  const bytes = requestBytes(awardParts(acme, body, String(Date.now())))
  const last = { ...known, index: -1, what: 'the last award', bytes, award: { partnerId: 'acme', body } }
  const connection = target.connect()
  judge.settle([last], await exchange(connection, [last]))
  connection.destroy()
}

/** Requests that never end, from clients that do not close: the service must close them itself. */
async function stallSome(
  target: Target,
  judge: Judge,
  { seed, count, mix, material }: { seed: number; count: number; mix: Mix; material: Material },
): Promise<void> {
  if (target.name === 'handler') return // its time limits belong to listening
  const stalls = Array.from({ length: count }, async (_, index) => {
    const whole = drawRequest(seed, -2 - index, { ...mix, games: 0, broken: 0 }, material)
    const request = {
      ...whole,
      what: `${whole.what}, stalled`,
      whole: false,
      mayBeOk: false,
      authentic: false,
      sound: false,
      bytes: whole.bytes.subarray(0, -1),
    }
    judge.settle([request], await exchange(target.connect(), [request], { patient: true }))
  })
  await Promise.all(stalls)
}
