import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

type VerifyRun = { sound: boolean; entries: number; fault?: string; seconds: number; cpuSeconds: number }

/** `verify` of a checkout as an operator runs it; the shell tells what CPU time it took, all of its threads together. */
export async function runVerify(checkout: string, environment: Record<string, string>): Promise<VerifyRun> {
  const launcher = join(checkout, 'bin', 'partner-credit.js')
  const command = '"$0" "$1" verify --only-ledger --json; times'
  const startedAt = performance.now()
  const { stdout } = await run('sh', ['-c', command, process.execPath, launcher], {
    env: { ...process.env, ...environment },
  }).catch((error: { stdout: string }) => error)
  const seconds = (performance.now() - startedAt) / 1000
  const [, json = '', times = ''] = /^(\{.*?\n\})\n(.*)$/s.exec(stdout) ?? []
  return { ...JSON.parse(json), seconds, cpuSeconds: childrenSeconds(times) }
}

/** `times` of a shell: its own user and system time, then those of what it has run, as 0m1.23s. */
function childrenSeconds(times: string): number {
  const [, , user, system] = [...times.matchAll(/(\d+)m([\d.,]+)s/g)].map(
    ([, minutes, seconds]) => 60 * Number(minutes) + Number(seconds!.replace(',', '.')),
  )
  return user! + system!
}
