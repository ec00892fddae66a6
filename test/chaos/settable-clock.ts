import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { send } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'

/** The clock of a server process, set from outside while it runs, forward or back. */
export type SettableClock = {
  /** For the server. */
  environment: Record<string, string>
  now(): number
  /** Sets the clock to this time; resolves when the server at this URL has it, too. */
  set(ms: number, url: string): Promise<void>
  remove(): void
}

const preload = new URL('./set-clock.ts', import.meta.url).pathname
const agreesWithinMs = 500

export function makeSettableClock(startMs: number): SettableClock {
  const folder = mkdtempSync(join(tmpdir(), 'partner-credit-clock-'))
  const path = join(folder, 'ahead-ms')
  let aheadMs = startMs - Date.now()
  const write = () => {
    writeFileSync(`${path}.next`, String(aheadMs))
    renameSync(`${path}.next`, path)
  }
  write()
  const now = () => Date.now() + aheadMs
  return {
    environment: { CHAOS_CLOCK_FILE: path, NODE_OPTIONS: `--import=${preload}` },
    now,
    async set(ms, url) {
      aheadMs = Math.round(ms) - Date.now()
      write()
      const agrees = async () => Math.abs((await serverTime(url)) - now()) < agreesWithinMs
      await eventually('the server shows the time that was set', agrees)
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}

/** A timestamp that is far off is refused with the server's own. */
async function serverTime(url: string): Promise<number> {
  const headers = {
    'X-Api-Key': 'x',
    'X-Timestamp': '1',
    'X-Signature': 'x',
    'Content-Type': 'application/json',
  }
  const { body } = await send(`${url}/v1/ep/webhook`, { method: 'POST', headers, body: '{}' })
  return body.serverTime
}
