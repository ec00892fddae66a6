import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A process and all its descendants. */
export async function familyOf(pid: number): Promise<number[]> {
  const listing = spawn('ps', ['-A', '-o', 'pid=,ppid='], { stdio: ['ignore', 'pipe', 'ignore'] })
  let text = ''
  listing.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  await once(listing, 'close')
  const rows = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number])
  const family = [pid]
  for (const member of family) family.push(...rows.filter(([, ppid]) => ppid === member).map(([id]) => id))
  return family
}
