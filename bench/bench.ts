import { type BenchRun, startBenchRun } from './bench-run.ts'
import { endAllChildren } from './child.ts'
import { type BenchOptions, help, type PartName, readOptions } from './options.ts'
import { awardPart } from './parts/award.ts'
import { findOnPostgresPart, findPart } from './parts/find.ts'
import { growthPart } from './parts/growth.ts'
import { historyPart } from './parts/history.ts'
import { latencyPart } from './parts/latency.ts'
import { memoryPart } from './parts/memory.ts'
import { startPart } from './parts/start.ts'
import { verifyPart } from './parts/verify.ts'
import { type Figures, report } from './report.ts'

const parts: Record<PartName, (bench: BenchRun) => Promise<Figures>> = {
  award: awardPart,
  latency: latencyPart,
  history: historyPart,
  growth: growthPart,
  memory: memoryPart,
  start: startPart,
  verify: verifyPart,
  find: findPart,
  'find-postgres': findOnPostgresPart,
}

/** Runs `npm run bench`; returns the exit code. */
async function main(args: string[]): Promise<number> {
  let options: BenchOptions | null
  try {
    options = readOptions(args)
  } catch (error) {
    console.error(`bench: ${(error as Error).message}\n\n${help}`)
    return 2
  }
  if (options === null) {
    console.log(help)
    return 0
  }
  const bench = await startBenchRun(options)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      endAllChildren()
      void bench.close().finally(() => process.exit(130))
    })
  }
  try {
    let figures: Figures = {}
    for (const name of options.parts) figures = { ...figures, ...(await parts[name](bench)) }
    const { text, json, floorsMissed } = report(bench, figures)
    if (!options.json) console.log(text)
    console.log(json)
    const missed = !options.quick && floorsMissed.length > 0
    return missed || bench.violations.length > 0 ? 1 : 0
  } finally {
    await bench.close()
  }
}

process.exitCode = await main(process.argv.slice(2))
