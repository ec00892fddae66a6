import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
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
      const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'ignore'] })
      // On standard input: the address of a database may have a password in it, and arguments are seen by all.
      child.stdin.write(`${JSON.stringify({ database, ...order })}\n`)
      child.stdin.on('error', () => {})
      const lines = createInterface({ input: child.stdout })
      const said = await Promise.race([
        once(lines, 'line').then(([line]) => line as string),
        once(child, 'close').then(() => 'ended'),
      ])
      child.unref()
      if (said === 'busy')
        throw new ApiProblem('CONFLICT', 'a verification is running already on this machine')
      if (said !== 'started')
        throw new ApiProblem('UNAVAILABLE', 'the verification could not be started: try again')
    },
  }
}
