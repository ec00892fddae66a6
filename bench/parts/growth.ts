import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { audit } from '../audit.ts'
import { createAwarding } from '../awarding.ts'
import type { BenchRun, Measured } from '../bench-run.ts'
import { grownLedger } from '../grown-ledger.ts'
import { serveDeployment, sqliteDeployment } from '../deployment.ts'
import { medianRatio } from '../median.ts'
import type { Figures } from '../report.ts'

/** Fresh awards of the hot account on the grown ledger and on one that was empty when it began, in turn. */
export async function growthPart(bench: BenchRun): Promise<Figures> {
  const { seconds, rounds } = bench.options
  const grown = await grownLedger(bench)
  await readOnce(grown.path)
  await using ends = new AsyncDisposableStack()
  const empty = await sqliteDeployment(join(bench.folder, 'empty'))
  ends.defer(() => empty.remove())
  const contenders = []
  for (const [name, deployment] of [
    ['empty ledger, hot', empty],
    [`${grown.entries.toLocaleString('en')} entries, hot`, grown],
  ] as const) {
    const server = await serveDeployment(deployment, join(bench.folder, `growth-${contenders.length}.log`))
    ends.defer(() => server.end())
    const onCredited = (count: number) => {
      deployment.acknowledged += count
    }
    contenders.push({
      server,
      awarding: createAwarding(bench, name, { server, partners: deployment.hot, onCredited }),
    })
  }

  const results: [Measured[], Measured[]] = [[], []]
  for (let round = -1; round < rounds; round++) {
    const warmUp = round < 0
    for (const [index, { awarding }] of contenders.entries()) {
      await awarding.prepare(seconds)
      const measured = await awarding.fresh({ seconds, warmUp })
      if (!warmUp) results[index]!.push(measured)
    }
  }
  for (const { server } of contenders) await server.end()
  const faults = [...(await audit(empty)), ...(await audit(grown, grown.entries))]
  bench.violations.push(...faults.map((fault) => `growth: ${fault}`))
  grown.entries += grown.acknowledged
  grown.acknowledged = 0
  return { growth: medianRatio(results[1], results[0], ({ perSecond }) => perSecond) }
}

/** As if it had been served for a while: after a boot the disk would be read page by page, which takes minutes. */
async function readOnce(path: string): Promise<void> {
  for await (const _ of createReadStream(path, { highWaterMark: 1024 * 1024 }));
}
