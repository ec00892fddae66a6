import { execFileSync } from 'node:child_process'

const pageBytes = 4096

/**
 * Writes over a page of a ledger, as a failing disk does. By another process: if this one closed the file, the system would
 * release the locks that its connections have on it.
 */
export function writePage(path: string, { page, byte }: { page: number; byte: number }): void {
  const write = `
    const file = fs.openSync(${JSON.stringify(path)}, 'r+')
    fs.writeSync(file, Buffer.alloc(${pageBytes}, ${byte}), 0, ${pageBytes}, ${(page - 1) * pageBytes})`
  execFileSync(process.execPath, ['-e', write])
}
