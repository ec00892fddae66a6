import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inMemory } from '../support/scratch-folder.ts'

/** A folder for images, in memory if there is enough: their syncs are not needed and would take most of the time. */
export function imageFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(inMemory(), 'partner-credit-image-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
