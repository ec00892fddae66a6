import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a folder and its missing parents, readable by the owner only; returns the first one it created. Node's own
 * `recursive` never returns where the system makes no folder in one that is there, as in /proc.
 */
export function makeFolders(folder: string): string | undefined {
  const missing: string[] = []
  for (let at = folder; !existsSync(at); at = dirname(at)) missing.unshift(at)
  for (const at of missing) makeFolder(at)
  return missing[0]
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return // another process was first
    throw new Error(`the folder ${path} cannot be created: ${message}`, { cause: error })
  }
}
