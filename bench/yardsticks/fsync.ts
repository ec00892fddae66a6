import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Latencies } from '../load/latencies.ts'

export type FsyncFigures = { perSecond: number; p50Ms: number; p99Ms: number }

/** What the disk under this folder takes to keep 4 KiB more for ever, again and again: appended, then synced. */
export function measureFsync(folder: string, seconds: number): FsyncFigures {
  const path = join(folder, 'fsync-probe')
  const page = Buffer.alloc(4096, 7)
  const file = openSync(path, 'w')
  const latencies = new Latencies()
  const startedAt = performance.now()
  let count = 0
  for (let now = startedAt; now < startedAt + seconds * 1000; count++) {
    writeSync(file, page)
    fdatasyncSync(file)
    const after = performance.now()
    latencies.add(after - now)
    now = after
  }
  const took = (performance.now() - startedAt) / 1000
  closeSync(file)
  rmSync(path)
  const [p50Ms = 0, p99Ms = 0] = latencies.quantiles(0.5, 0.99)
  return { perSecond: Math.round(count / took), p50Ms, p99Ms }
}
