import { isIPv6 } from 'node:net'
import type { Config } from '../config.ts'

/** Where a program on this machine reaches the partner API; null if the port is chosen when the server starts. */
export function localUrl({ host, port }: Pick<Config, 'host' | 'port'>): string | null {
  if (port === 0) return null
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  return `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${port}`
}
