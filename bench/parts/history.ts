import { join } from 'node:path'
import { writeCursor } from '../../src/rules/cursor.ts'
import { usualConnections } from '../awarding.ts'
import type { BenchRun, Measured } from '../bench-run.ts'
import { startCeiling, usualHeaders } from '../ceiling.ts'
import { grownLedger } from '../grown-ledger.ts'
import { serveDeployment } from '../deployment.ts'
import { medianRatio } from '../median.ts'
import type { Figures } from '../report.ts'
import { readHistoryPage } from '../read-history-page.ts'

const limit = 100
const depthWanted = 1_000_000

/**
 * Pages of the hot account: the first and a deep one in turn on one connection; then the first on many, beside the
 * bare route with the same bytes. No awards are made meanwhile, so every response is known byte for byte.
 */
export async function historyPart(bench: BenchRun): Promise<Figures> {
  const { seconds, rounds } = bench.options
  const grown = await grownLedger(bench)
  await using ends = new AsyncDisposableStack()
  const server = await serveDeployment(grown, join(bench.folder, 'history.log'))
  ends.defer(() => server.end())
  const partner = grown.hot[0]!
  const tenantId = partner.tenants[0]!
  const depth = Math.min(depthWanted, grown.hotEntries - 2 * limit)
  bench.values['depth of the deep page'] = depth
  const cursors = {
    first: '',
    deep: writeCursor({ partnerId: partner.partnerId, tenantId }, grown.hotEntries - depth + 1),
  }
  const pages = { first: '', deep: '' }
  const prepare = async () => {
    for (const [shelf, cursor] of Object.entries(cursors)) {
      await bench.generator.fill({ shelf, kind: 'history', partner, tenantId, cursor, limit })
    }
  }
  for (const [name, cursor] of Object.entries(cursors)) {
    const page = await readHistoryPage(server.url, partner, { tenantId, cursor, limit })
    if (page.items !== limit) bench.violations.push(`history: the ${name} page has ${page.items} items`)
    pages[name as keyof typeof pages] = page.body
  }
  const ceiling = await startCeiling({ status: 200, headers: usualHeaders, body: pages.first })
  ends.defer(() => ceiling.end())

  const plan = (shelf: keyof typeof pages, connections: number) =>
    ({
      shelf,
      connections,
      seconds,
      perSecond: null,
      again: true,
      expected: { kind: 'exactly', status: 200, body: pages[shelf] },
    }) as const
  const all: Record<'first' | 'deep' | 'many' | 'ceiling', Measured>[] = []
  for (let round = -1; round < rounds; round++) {
    await prepare()
    const how = { warmUp: round < 0 }
    const results = {
      first: await bench.measure('first page, one connection', server, plan('first', 1), how),
      deep: await bench.measure('deep page, one connection', server, plan('deep', 1), how),
      many: await bench.measure('first page', server, plan('first', usualConnections), how),
      ceiling: await bench.measure(
        'the same page, bare route',
        ceiling,
        plan('first', usualConnections),
        how,
      ),
    }
    if (round >= 0) all.push(results)
  }
  const each = (name: keyof (typeof all)[0]) => all.map((round) => round[name])
  return {
    historyDepth: medianRatio(each('deep'), each('first'), ({ p50Ms }) => p50Ms),
    historyOverStatic: medianRatio(each('many'), each('ceiling'), ({ perSecond }) => perSecond),
  }
}
