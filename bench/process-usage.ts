import { readdirSync, readFileSync } from 'node:fs'

/** CPU seconds of each kind of thread of a process so far, by the kind's name. */
export type Usage = Map<string, number>

/** The kernel's clock ticks: 100 per second on every Linux that Node runs on. */
const ticksPerSecond = 100

export function usageOf(pid: number): Usage {
  const usage: Usage = new Map()
  for (const { name, seconds } of threadUsageOf(pid).values()) {
    usage.set(name, (usage.get(name) ?? 0) + seconds)
  }
  return usage
}

type ThreadUsage = Map<string, { name: string; seconds: number }>

/** The same for each thread by itself, by its id: the workers of a process share a name. */
export function threadUsageOf(pid: number): ThreadUsage {
  const usage: ThreadUsage = new Map()
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const stat = readStat(`/proc/${pid}/task/${thread}/stat`)
    if (stat === null) continue
    const name = Number(thread) === pid ? 'main' : stat.name
    usage.set(thread, { name, seconds: stat.ticks / ticksPerSecond })
  }
  return usage
}

/** The same for the sessions of one database, if its PostgreSQL is on this machine: it writes the name into their titles. */
export function postgresUsageOf(database: string): ThreadUsage {
  const usage: ThreadUsage = new Map()
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const title = readIfThere(`/proc/${pid}/cmdline`) ?? ''
    if (!title.startsWith('postgres: ') || !title.split(' ').includes(database)) continue
    const stat = readStat(`/proc/${pid}/stat`)
    if (stat !== null) usage.set(pid, { name: 'postgres', seconds: stat.ticks / ticksPerSecond })
  }
  return usage
}

/** Shares of one core since `before`, the busiest first; idle threads are left out. */
export function sharesSince(before: Usage, after: Usage, seconds: number): Record<string, number> {
  const shares = [...after].map(
    ([name, spent]) => [name, (spent - (before.get(name) ?? 0)) / seconds] as const,
  )
  const busy = shares.filter(([, share]) => share >= 0.01).sort(([, a], [, b]) => b - a)
  return Object.fromEntries(busy.map(([name, share]) => [name, Math.round(share * 100) / 100]))
}

/** Resident memory of a process in bytes: now, and its peak. */
export function memoryOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytes = (name: string) => 1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)![1])
  return { now: bytes('VmRSS'), peak: bytes('VmHWM') }
}

/** Null: the thread has ended meanwhile. */
function readStat(path: string): { name: string; ticks: number } | null {
  const stat = readIfThere(path)
  if (stat === null) return null
  const [, name = '', rest = ''] = /\((.*)\) (.*)/s.exec(stat)!
  const fields = rest.split(' ')
  return { name, ticks: Number(fields[11]) + Number(fields[12]) }
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** CPU seconds that all processes of the machine have used so far, on all cores. */
export function machineUsage(): number {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1)
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return (user + nice + system + irq + softirq + steal) / ticksPerSecond
}
