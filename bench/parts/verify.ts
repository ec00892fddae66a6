import { join } from 'node:path'
import type { BenchRun } from '../bench-run.ts'
import { grownLedger } from '../grown-ledger.ts'
import { median } from '../median.ts'
import type { Figures } from '../report.ts'
import { runVerify } from '../verify-run.ts'

const checkout = join(import.meta.dirname, '..', '..')
const runsUsual = 3

export async function verifyPart(bench: BenchRun): Promise<Figures> {
  const grown = await grownLedger(bench)
  const perCore: number[] = []
  const perSecond: number[] = []
  for (let turn = 0; turn < (bench.options.quick ? 1 : runsUsual); turn++) {
    const { sound, entries, fault, seconds, cpuSeconds } = await runVerify(checkout, grown.environment)
    if (!sound || entries !== grown.entries)
      bench.violations.push(`verify: ${fault ?? `${entries} entries where ${grown.entries} were made`}`)
    perCore.push(entries / cpuSeconds)
    perSecond.push(entries / seconds)
    bench.note(
      `verify: ${entries} entries in ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU time`,
    )
  }
  bench.values['verify, entries a second by the clock'] = Math.round(median(perSecond))
  return { verify: median(perCore) }
}
