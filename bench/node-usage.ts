import { readFileSync } from 'node:fs'
import { runSql } from '../test/support/run-sql.ts'

/** Of one session: CPU time, and how long it was ready to run but waited for a core. */
type Session = { role: 'coordinator' | 'workers'; cpuMs: number; waitedMs: number }
type NodeUsage = Map<string, Session>

/** The sessions of a database on a coordinator, plain or distributed, so far. Nodes on other machines are left out. */
export async function nodeUsageOf(url: string): Promise<NodeUsage> {
  const usage: NodeUsage = new Map()
  for (const { role, nodeUrl } of await nodesOf(url)) {
    const sessions = await runSql(
      nodeUrl,
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'`,
    )
    for (const { pid } of sessions) {
      const [cpuNs = 0, waitedNs = 0] = readSchedstat(pid)
      usage.set(`${nodeUrl} ${pid}`, { role, cpuMs: cpuNs / 1e6, waitedMs: waitedNs / 1e6 })
    }
  }
  return usage
}

/** Since `before`, of the sessions that are still open. */
export function usagePerAward(before: NodeUsage, after: NodeUsage, awards: number): string {
  const us = (ms: number) => Math.round((ms * 1000) / Math.max(1, awards))
  const byRole = Map.groupBy(after.entries(), ([, { role }]) => role)
  return [...byRole]
    .map(([role, sessions]) => {
      const sum = (field: 'cpuMs' | 'waitedMs') =>
        sessions.reduce((sum, [id, session]) => sum + session[field] - (before.get(id)?.[field] ?? 0), 0)
      return `${role}: ${us(sum('cpuMs'))} µs CPU, ${us(sum('waitedMs'))} µs waiting for a core`
    })
    .join('; ')
}

async function nodesOf(url: string): Promise<{ role: Session['role']; nodeUrl: string }[]> {
  const [{ distributed }] = await runSql(url, `SELECT to_regclass('pg_dist_node') IS NOT NULL AS distributed`)
  const workers = distributed
    ? await runSql(url, 'SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE groupid > 0')
    : []
  return [
    { role: 'coordinator', nodeUrl: url },
    ...workers.map(({ host, port }) => ({
      role: 'workers' as const,
      nodeUrl: Object.assign(new URL(url), { host: `${host}:${port}` }).href,
    })),
  ]
}

function readSchedstat(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number)
  } catch {
    return [] // it has ended, or is on another machine
  }
}
