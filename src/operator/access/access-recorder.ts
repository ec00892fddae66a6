import { type Clock, createSteadyTime } from '../../clock.ts'
import type { AccessEvent, OperatorSessions } from './operator-store.ts'

/** Rejects if the event cannot be written down. */
export type RecordAccess = (event: Omit<AccessEvent, 'at'>) => Promise<void>

/** How often old rows are looked for, where there is traffic. */
const tidyEveryMs = 60_000
const textLengthMax = 300

/** Whoever writes also deletes what is too old or too much: so what strangers cause does not grow without a limit. */
export function createAccessRecorder(sessions: OperatorSessions, clock: Clock): RecordAccess {
  const steadyTime = createSteadyTime(clock)
  let tidiedAt = Number.NEGATIVE_INFINITY
  return async ({ action, subject, ...event }) => {
    await sessions.recordAccess({
      ...event,
      at: clock.now(),
      action: action.slice(0, textLengthMax),
      subject: subject?.slice(0, textLengthMax) ?? null,
    })
    if (clock.elapsed() - tidiedAt < tidyEveryMs) return
    tidiedAt = clock.elapsed()
    await sessions.tidy(steadyTime())
  }
}
