import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Latencies } from '../load/latencies.ts'

type FsyncFigures = { perSecond: number; p50Ms: number }

const page = Buffer.alloc(4096, 7)
const fileBytes = 4_194_304

/**
 * How long the disk of this folder takes to store 4 KiB durably, repeatedly: appended, when the file system has
 * to store the new length, too; or overwritten, as in a log that is reused.
 */
export function measureFsync(folder: string, how: 'append' | 'overwrite', seconds: number): FsyncFigures {
  const path = join(folder, 'fsync-probe')
  const file = openSync(path, 'w')
  if (how === 'overwrite') {
    writeSync(file, Buffer.alloc(fileBytes))
    fdatasyncSync(file)
  }
  const latencies = new Latencies()
  const startedAt = performance.now()
  let count = 0
  for (let now = startedAt; now < startedAt + seconds * 1000; count++) {
    writeSync(file, page, 0, page.length, how === 'append' ? null : (count * page.length) % fileBytes)
    fdatasyncSync(file)
    const after = performance.now()
    latencies.add(after - now)
    now = after
  }
  const took = (performance.now() - startedAt) / 1000
  closeSync(file)
  rmSync(path)
  return { perSecond: Math.round(count / took), p50Ms: latencies.quantiles(0.5)[0]! }
}
