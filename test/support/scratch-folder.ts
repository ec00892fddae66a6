import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const memory = '/dev/shm'
const roomMin = 2 ** 31

/**
 * Where the tests keep their databases. In the suite that is memory, where a sync costs nothing: what a killed process
 * had written is there all the same, and what a power cut takes is what test/power-cut is about. The long runs and the
 * benchmarks work on the disk.
 */
export function scratchFolder(): string {
  return process.env.TEST_FOLDER ?? tmpdir()
}

/** A folder in memory, if this machine has one with room. */
export function inMemory(): string {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize > roomMin ? memory : tmpdir()
  } catch {
    return tmpdir()
  }
}
