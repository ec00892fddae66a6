import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { BenchRun } from '../bench-run.ts'
import { grownLedger } from '../grown-ledger.ts'
import { median } from '../median.ts'
import type { Figures } from '../report.ts'

const run = promisify(execFile)
const launcher = new URL('../../bin/partner-credit.js', import.meta.url).pathname
const runsUsual = 3

/** `verify` as an operator runs it; the shell reports its CPU time, of all threads together. */
export async function verifyPart(bench: BenchRun): Promise<Figures> {
  const grown = await grownLedger(bench)
  const perCore: number[] = []
  const perSecond: number[] = []
  for (let turn = 0; turn < (bench.options.quick ? 1 : runsUsual); turn++) {
    const startedAt = performance.now()
    const { stdout } = await run(
      'sh',
      ['-c', '"$0" "$1" verify --only-ledger --json; times', process.execPath, launcher],
      {
        env: { ...process.env, ...grown.environment },
      },
    ).catch((error: { stdout: string }) => error)
    const seconds = (performance.now() - startedAt) / 1000
    const [, json = '', times = ''] = /^(\{.*?\n\})\n(.*)$/s.exec(stdout) ?? []
    const { sound, entries, fault } = JSON.parse(json)
    if (!sound || entries !== grown.entries)
      bench.violations.push(`verify: ${fault ?? `${entries} entries where ${grown.entries} were made`}`)
    const cpuSeconds = childrenSeconds(times)
    perCore.push(entries / cpuSeconds)
    perSecond.push(entries / seconds)
    bench.note(
      `verify: ${entries} entries in ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU time`,
    )
  }
  bench.values['verify, entries a second by the clock'] = Math.round(median(perSecond))
  return { verify: median(perCore) }
}

/** `times` of a shell: its own user and system time, then those of its children, as 0m1.23s. */
function childrenSeconds(times: string): number {
  const [, , user, system] = [...times.matchAll(/(\d+)m([\d.,]+)s/g)].map(
    ([, minutes, seconds]) => 60 * Number(minutes) + Number(seconds!.replace(',', '.')),
  )
  return user! + system!
}
