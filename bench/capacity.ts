import { randomBytes, randomUUIDv7 } from 'node:crypto'
import { parseArgs } from 'node:util'
import { systemClock } from '../src/clock.ts'
import { table } from '../src/cli/output.ts'
import { progressBar } from '../src/cli/progress.ts'
import { verifyLedger } from '../src/proof/verify.ts'
import { createPartner } from '../src/partners/create-partner.ts'
import type { AwardCommand } from '../src/rules/entry.ts'
import { openSnapshot, serveStore } from '../src/stores/open.ts'
import type { StoreToServe } from '../src/stores/store.ts'
import { embeddedStores, type StoreToMeasure, storesOn } from './capacity-stores.ts'
import { median, medianRatio } from './median.ts'

/**
 * The capacity of a ledger, without HTTP: awards per second through group commit into one hot account and spread over
 * many, on two stores in one run, and the bytes that an award leaves on disk. For the capacity model of
 * docs/operator/scaling.md. With `--postgres` the stores are a plain database and a distributed one on the same
 * coordinator of a Citus cluster.
 */
const { values } = parseArgs({
  options: {
    awards: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '1' },
    postgres: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)
/** Of each kind, on each store, in all rounds together. */
const awards = Math.ceil(Number(values.awards) / rounds) * rounds
const waitingMax = 1_000
const partners = Array.from({ length: 50 }, (_, index) => `partner-${index}`)
const tenants = Array.from({ length: 10 }, (_, index) => `tenant-${index}`)
const caps = { perTx: 1e9, perPartnerDay: 1e12, perUserDay: 1e12 }

/** Into which account an order goes. */
const loads = {
  'one hot account': () => [partners[0]!, tenants[0]!] as const,
  'spread over 500 accounts': (order: number) =>
    [
      partners[order % partners.length]!,
      tenants[Math.floor(order / partners.length) % tenants.length]!,
    ] as const,
}
type LoadName = keyof typeof loads

/** What Citus has to reach of what PostgreSQL does, in one run. */
const floors: Record<LoadName, number> = { 'one hot account': 0.6, 'spread over 500 accounts': 0.35 }

type Figures = {
  store: string
  hotPerSecond: number
  spreadPerSecond: number
  hotCommit: string
  spreadCommit: string
  bytesPerAward: number
  verifyPerSecond: number
}
type Measured = StoreToMeasure & {
  opened: StoreToServe
  perSecond: Record<LoadName, number[]>
  commits: Record<LoadName, { count: number; ms: number }>
}

await using cleanUp = new AsyncDisposableStack()
const stores = await (values.postgres === undefined
  ? embeddedStores(cleanUp)
  : storesOn(values.postgres, cleanUp))
const measured: Measured[] = []
for (const store of stores) measured.push(await open(store))
for (let round = 0; round < rounds; round++)
  for (const load of Object.keys(loads) as LoadName[])
    for (const store of measured) {
      const before = store.opened.measured().commits.commitMs
      store.perSecond[load].push(await run(store, load, round))
      const { count, sum } = store.opened.measured().commits.commitMs
      store.commits[load].count += count - before.count
      store.commits[load].ms += sum - before.sum
    }
const figures: Figures[] = []
for (const store of measured) figures.push(await figuresOf(store))
const ratios = values.postgres === undefined ? [] : ratiosOf(measured)
console.log(values.json ? JSON.stringify({ figures, ratios }) : `${figuresTable()}${ratiosTable()}`)
if (ratios.some(({ ratio, floor }) => ratio < floor)) process.exitCode = 1

async function open(store: StoreToMeasure): Promise<Measured> {
  const opened = await serveStore(store.database, { caps, clock: systemClock, warn: () => {} })
  for (const partnerId of partners) {
    const partner = { partnerId, name: partnerId, tenants, perTx: null, perPartnerDay: null }
    await createPartner({ store: opened.partners, actor: 'bench', now: 0 }, partner, Buffer.alloc(32))
  }
  const none = () => ({ count: 0, ms: 0 })
  return {
    ...store,
    opened,
    perSecond: { 'one hot account': [], 'spread over 500 accounts': [] },
    commits: { 'one hot account': none(), 'spread over 500 accounts': none() },
  }
}

async function run({ name, opened }: Measured, load: LoadName, round: number): Promise<number> {
  const count = awards / rounds
  const bar = progressBar(`${name}, ${load}`)
  const started = systemClock.elapsed()
  let next = 0
  const client = async () => {
    while (next < count) {
      const order = next++
      const award = anAward(`${load}-${round}-${order}`, loads[load](order), order)
      const outcome = await opened.ledger.award(award)
      if (outcome.kind !== 'credited') throw new Error(`not credited: ${JSON.stringify(outcome)}`)
      bar.show(order / count)
    }
  }
  await Promise.all(Array.from({ length: waitingMax }, client))
  bar.end()
  return Math.round(count / ((systemClock.elapsed() - started) / 1000))
}

async function figuresOf({ name, opened, database, bytes, perSecond, commits }: Measured): Promise<Figures> {
  await opened.ledger.close()
  await opened.close()
  const snapshot = await openSnapshot(database)
  const started = systemClock.elapsed()
  const { sound, entries, fault } = await verifyLedger(snapshot, () => {})
  const seconds = (systemClock.elapsed() - started) / 1000
  await snapshot.close()
  if (!sound || entries !== 2 * awards) throw new Error(`not sound: ${fault}`)
  return {
    store: name,
    hotPerSecond: median(perSecond['one hot account']),
    spreadPerSecond: median(perSecond['spread over 500 accounts']),
    hotCommit: aCommit(commits['one hot account']),
    spreadCommit: aCommit(commits['spread over 500 accounts']),
    bytesPerAward: Math.round((await bytes()) / entries),
    verifyPerSecond: Math.round(entries / seconds),
  }
}

/** On average: how many awards a commit held, and how long it took. */
function aCommit({ count, ms }: { count: number; ms: number }): string {
  return `${Math.round(awards / count)} in ${(ms / count).toFixed(1)} ms`
}

/** Of the second store to the first, round by round. */
function ratiosOf([below, above]: Measured[]) {
  return (Object.keys(loads) as LoadName[]).map((load) => ({
    load,
    ratio: medianRatio(above!.perSecond[load], below!.perSecond[load], (perSecond) => perSecond),
    floor: floors[load],
  }))
}

/** As a partner sends them: a short note, a little meta, each user a few times a day. */
function anAward(
  orderId: string,
  [partnerId, tenantId]: readonly [string, string],
  order: number,
): AwardCommand {
  return {
    partnerId,
    tenantId,
    orderId,
    userEmail: `user${order % 20_000}@example.com`,
    amount: 150_000,
    note: 'Thank you for your order',
    meta: '{"shop":"hanoi-3","items":[{"sku":"A-1001","qty":2}]}',
    epTransactionId: randomUUIDv7(),
    salt: randomBytes(16),
  }
}

function figuresTable(): string {
  return table(
    [
      'store',
      'hot account, awards/s',
      'a commit',
      '500 accounts, awards/s',
      'a commit',
      'bytes per award',
      'verify, entries/s',
    ],
    figures.map((row) => [
      row.store,
      row.hotPerSecond,
      row.hotCommit,
      row.spreadPerSecond,
      row.spreadCommit,
      row.bytesPerAward,
      row.verifyPerSecond,
    ]),
  )
}

function ratiosTable(): string {
  if (ratios.length === 0) return ''
  const rows = ratios.map(({ load, ratio, floor }) => [
    load,
    ratio.toFixed(2),
    `≥ ${floor}`,
    ratio >= floor ? 'yes' : 'NO',
  ])
  return `\n\n${table(['Citus ÷ PostgreSQL', 'measured', 'floor', 'ok?'], rows)}`
}
