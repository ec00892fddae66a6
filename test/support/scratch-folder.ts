import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const memory = '/dev/shm'
const roomMin = 2 ** 31

/**
 * Where the tests keep their databases. In the suite that is memory, where a sync costs nothing. What a killed process
 * has written is not lost there, and power cuts are tested in test/power-cut. The long runs and the
 * benchmarks use the disk.
 */
export function scratchFolder(): string {
  return process.env.TEST_FOLDER ?? tmpdir()
}

/** A folder in memory, if this machine has one with enough space. */
export function inMemory(): string {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize > roomMin ? memory : tmpdir()
  } catch {
    return tmpdir()
  }
}
