import { readFileSync, statSync } from 'node:fs'

/**
 * The processes that have a lock on a file, of those that this one can see: Linux lists no locks of other containers. Empty
 * elsewhere, and on file systems with layers or subvolumes where the list names another device than `stat`.
 */
export function lockHolders(path: string): Set<string> {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    const [major, minor] = [(dev >> 8n) & 0xfffn, (dev & 0xffn) | ((dev >> 12n) & 0xfff00n)]
    const device = [major, minor].map((part) => part.toString(16).padStart(2, '0')).join(':')
    const number = BigInt.asUintN(64, ino) // Node reads it as signed
    const locks = readFileSync('/proc/locks', 'latin1')
    const held = locks.matchAll(new RegExp(`^\\d+: POSIX .* (\\d+) ${device}:${number} `, 'gm'))
    return new Set(held.map(([, process]) => process!))
  } catch {
    return new Set()
  }
}
