import { join } from 'node:path'
import { type Awarding, createAwarding, usualConnections } from '../awarding.ts'
import type { BenchRun, Measured } from '../bench-run.ts'
import type { Child } from '../child.ts'
import type { Deployment } from '../deployment.ts'
import { deploymentsOf } from '../other-checkout.ts'
import { readHistoryPage } from '../read-history-page.ts'

/** Awards of one account, awards of 1,000 accounts, and the first history page of the one account. */
export const loads = ['hot', 'spread', 'pages'] as const
export type Load = (typeof loads)[number]

type HowLong = { seconds: number; warmUp: boolean }
type Offered = { prepare(seconds: number): Promise<void>; run(how: HowLong): Promise<Measured> }

export type Side = {
  name: string
  checkout: string
  deployment: Deployment
  /** Of the round that runs. */
  server: Child
  /** Gives what ends the server. */
  start(): Promise<() => Promise<void>>
  entries(): number
  /** Awards to the one account until the ledger has this many entries. */
  growTo(entries: number): Promise<void>
} & Record<Load, Offered>

const pageLimit = 100
const growSecondsMax = 60

/** The server, and the code that makes its ledger, come from that checkout. */
export async function prepareSide(
  bench: BenchRun,
  name: string,
  checkout: string,
  store: 'sqlite' | 'postgres',
  ends: AsyncDisposableStack,
): Promise<Side> {
  const theirs = await deploymentsOf(checkout)
  const folder = join(bench.folder, name)
  const deployment =
    store === 'sqlite' ? await theirs.sqliteDeployment(folder) : await theirs.postgresDeployment()
  ends.defer(() => deployment.remove())
  const server = {} as Child // every start fills it in
  let entries = 0
  const onCredited = (count: number) => {
    entries += count
  }
  const awardingOf = (load: Load, partners: Deployment['partners']) =>
    createAwarding(bench, `${name}, ${load}`, { server, partners, onCredited })
  const hot = awardingOf('hot', deployment.hot)
  return {
    name,
    checkout,
    deployment,
    server,
    async start() {
      const started = await theirs.serveDeployment(deployment, join(folder, 'log'))
      Object.assign(server, started)
      return started.end
    },
    entries: () => entries,
    async growTo(wanted) {
      await hot.prepareExactly(wanted - entries)
      await hot.fresh({ seconds: growSecondsMax, warmUp: true })
    },
    hot: offeredAwards(hot),
    spread: offeredAwards(awardingOf('spread', deployment.partners)),
    pages: offeredPages(bench, `${name}, pages`, server, deployment),
  }
}

function offeredAwards(awarding: Awarding): Offered {
  return { prepare: awarding.prepare, run: awarding.fresh }
}

/** Nothing is awarded meanwhile, so that every page is the same, byte for byte. */
function offeredPages(bench: BenchRun, name: string, server: Child, { hot }: Deployment): Offered {
  const partner = hot[0]!
  const page = { tenantId: partner.tenants[0]!, cursor: '', limit: pageLimit }
  let body = ''
  return {
    async prepare() {
      await bench.generator.fill({ shelf: name, kind: 'history', partner, ...page })
      body = (await readHistoryPage(server.url, partner, page)).body
    },
    run({ seconds, warmUp }) {
      const expected = { kind: 'exactly', status: 200, body } as const
      const plan = {
        shelf: name,
        connections: usualConnections,
        seconds,
        perSecond: null,
        again: true,
        expected,
      }
      return bench.measure(name, server, plan, { warmUp })
    },
  }
}
