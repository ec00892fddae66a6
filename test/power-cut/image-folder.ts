import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const roomMin = 2 ** 30

/** A folder for images, in memory where there is room: nobody needs their syncs, and those take most of the time. */
export function imageFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(hasRoom('/dev/shm') ? '/dev/shm' : tmpdir(), 'partner-credit-image-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize > roomMin
  } catch {
    return false
  }
}
