import { accessSync, constants, statSync } from 'node:fs'

/** SQLite would only say that it cannot open the file. */
export function assertMayRead(path: string): void {
  assertMay('read', constants.R_OK, path)
}

export function assertMayWrite(path: string): void {
  assertMay('write to', constants.R_OK | constants.W_OK, path)
}

function assertMay(use: string, mode: number, path: string): void {
  try {
    accessSync(path, mode)
  } catch (error) {
    if (!isDenied(error)) throw error
    const { uid, mode } = statSync(path)
    const owner = `its owner is uid ${uid}, its mode ${(mode & 0o777).toString(8).padStart(3, '0')}`
    throw new Error(`${thisUser()} may not ${use} ${path} (${owner}): ${runAsServer}`, { cause: error })
  }
}

/** For `existsSync`, nothing exists in a folder that this user may not enter. */
export function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if (!isDenied(error)) return false
    throw new Error(`${thisUser()} may not enter the folder of ${path}: ${runAsServer}`, { cause: error })
  }
}

function isDenied(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EACCES'
}

const thisUser = () => `this user (uid ${process.geteuid!()})`
const runAsServer = 'run this as the user who runs the server'
