import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from './child.ts'
import { benchFolder } from './deployment.ts'
import { type Generator, startGenerator } from './load/generator.ts'
import type { RunPlan, RunResult } from './load/plan.ts'
import { machineUsage, sharesSince, type Usage, usageOf } from './process-usage.ts'
import { type BenchOptions, entriesUsual } from './options.ts'

/** A run of the generator, and how much of a core the server's threads and the rest of the machine used meanwhile. */
export type Measured = RunResult & {
  server: Record<string, number>
  /** The server's CPU time per response, of all threads: the figure that a busy machine changes least. */
  serverCpuUs: number
  elsewhere: number
}

/** One `npm run bench`: what its parts share, and what they record for the report. */
export type BenchRun = {
  options: BenchOptions
  generator: Generator
  /** For ledgers and logs; it is removed after the run. */
  folder: string
  /** Every measured run by its name, warm-ups left out. */
  runs: Map<string, Measured[]>
  /** Other absolute numbers, by name. */
  values: Record<string, number | string>
  /** What must not happen: wrong responses, an audit that fails. */
  violations: string[]
  /** What makes figures doubtful: a busy machine, a generator that was the bottleneck. */
  warnings: string[]
  note(line: string): void
  measure(
    name: string,
    server: Child,
    plan: Omit<RunPlan, 'url'>,
    how?: { warmUp: boolean },
  ): Promise<Measured>
  close(): Promise<void>
}

/** On a machine that was busier than this before the run, figures are doubtful. */
const busyBeforeMax = 0.1
const lookMs = 1000
/** Above this share of its core the generator measures itself. */
const busyMax = 0.85

export async function startBenchRun(options: BenchOptions, folder = benchFolder()): Promise<BenchRun> {
  const generator = await startGenerator()
  const runs = new Map<string, Measured[]>()
  const values: Record<string, number | string> = {}
  const violations: string[] = []
  const warnings: string[] = []
  const startedAt = performance.now()
  const note = (line: string) => {
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    if (!options.silent) process.stderr.write(`${String(seconds).padStart(5)} s  ${line}\n`)
  }

  if (options.entries < entriesUsual && options.parts.some((part) => part !== 'award' && part !== 'latency'))
    warnings.push(`${options.entries} entries: the targets speak of ${entriesUsual}`)
  if (!options.silent) await lookAround()

  async function lookAround(): Promise<void> {
    const before = machineUsage()
    await sleep(lookMs)
    const busy = (machineUsage() - before) / (lookMs / 1000)
    values['cores busy before the run'] = Math.round(busy * 100) / 100
    if (busy > busyBeforeMax)
      warnings.push(`the machine was not idle: ${busy.toFixed(1)} cores were busy before`)
  }

  async function measure(
    name: string,
    server: Child,
    plan: Omit<RunPlan, 'url'>,
    { warmUp } = { warmUp: false },
  ): Promise<Measured> {
    const before: Usage = usageOf(server.pid)
    const machineBefore = machineUsage()
    const startedAt = performance.now()
    const result = await generator.run({ ...plan, url: server.url })
    const seconds = (performance.now() - startedAt) / 1000
    const shares = sharesSince(before, usageOf(server.pid), seconds)
    const cpu = Object.values(shares).reduce((sum, share) => sum + share, 0)
    const elsewhere = Math.max(0, (machineUsage() - machineBefore) / seconds - cpu - result.generatorCpu)
    const measured: Measured = {
      ...result,
      server: shares,
      serverCpuUs: Math.round((cpu * seconds * 1e6) / Math.max(1, result.answered)),
      elsewhere: Math.round(elsewhere * 100) / 100,
    }
    for (const wrong of result.wrongs) violations.push(`${name}: ${wrong}`)
    if (result.wrong > 0) violations.push(`${name}: ${result.wrong} of ${result.answered} answers were wrong`)
    if (warmUp) return measured
    runs.set(name, [...(runs.get(name) ?? []), measured])
    note(`${name}: ${measured.perSecond}/s, p50 ${measured.p50Ms} ms, p99 ${measured.p99Ms} ms`)
    const busy = Math.max(measured.generatorCpu, measured.generatorLoop)
    if (busy > busyMax)
      warnings.push(`${name}: the generator was the bottleneck, ${Math.round(busy * 100)} % busy`)
    return measured
  }

  return {
    options,
    generator,
    folder,
    runs,
    values,
    violations,
    warnings,
    note,
    measure,
    async close() {
      await generator.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
