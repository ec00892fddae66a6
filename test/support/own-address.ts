import { networkInterfaces } from 'node:os'

/** An IPv4 address of this machine that is not loopback; null if it has none. */
export function ownAddress(): string | null {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? null
}
