import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { DatabaseLocation } from '../../../stores/open.ts'
import { ApiProblem } from '../problem.ts'
import {
  abandoned,
  isRunning,
  readRecord,
  recordFileOf,
  type VerificationOrder,
  type VerificationRecord,
} from './record.ts'

/** The verifications of one ledger that operators start on this machine, whichever process they ask. */
export type Verifications = {
  read(): Promise<VerificationRecord>
  /** Returns when it runs. Throws if one runs already. */
  start(order: Pick<VerificationOrder, 'startedBy' | 'startedAt'>): Promise<void>
}

const program = fileURLToPath(new URL('./run-verification.ts', import.meta.url))

export function createVerifications(database: DatabaseLocation): Verifications {
  return {
    async read() {
      const record = await readRecord(recordFileOf(database))
      const { current, earlier } = record
      if (current === null || isRunning(current.process)) return record
      return { current: null, earlier: [abandoned(current), ...earlier] }
    },
    async start(order) {
      const child = spawn(process.execPath, ['--disable-sigusr1', program], {
        stdio: ['pipe', 'pipe', 'ignore'],
      })
      // On standard input: the address of a database may have a password in it, and arguments are seen by all.
      const said = await firstLineOf(child, `${JSON.stringify({ database, ...order })}\n`)
      if (said === 'busy')
        throw new ApiProblem('CONFLICT', 'a verification is running already on this machine')
      if (said !== 'started')
        throw new ApiProblem('UNAVAILABLE', 'the verification could not be started: try again')
    },
  }
}

/** What it says to `order`. "ended": nothing, or it could not be started, as when no more files can be open. */
async function firstLineOf(child: ChildProcessByStdio<Writable, Readable, null>, order: string) {
  const ended = once(child, 'close').then(
    () => 'ended',
    () => 'ended',
  )
  const { stdin, stdout }: Partial<typeof child> = child
  if (stdin === undefined || stdout === undefined) return ended
  stdin.on('error', () => {})
  stdin.write(order)
  const said = once(createInterface({ input: stdout }), 'line').then(([line]) => line as string)
  const first = await Promise.race([said, ended])
  child.unref()
  return first
}
