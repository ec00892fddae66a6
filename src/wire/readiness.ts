import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import { Unavailable } from '../ledger/faults.ts'

/** Asks whether awards can be made durable; gives what an operator should know all the same, or throws `Unavailable`. */
export type Readiness = () => Promise<string[]>

const trueForMs = 1_000
const answerWithinMs = 1_000

/**
 * One answer for everybody who asks within a second, on either listener: a flood of health checks asks the store once a
 * second. An answer is as old as its question, hence never older than a second. While the store has not answered, it is
 * not asked again; after a second without an answer it is not ready.
 */
export function shareReadiness(ready: Readiness, clock: Pick<Clock, 'elapsed'>): Readiness {
  let asked: { at: number; answer: Promise<string[]>; settled: boolean } | undefined

  function ask(): NonNullable<typeof asked> {
    const work = ready()
    const question = { at: clock.elapsed(), answer: within(answerWithinMs, work), settled: false }
    const settle = () => {
      question.settled = true
    }
    work.then(settle, settle)
    return question
  }

  return () => {
    if (asked === undefined || (asked.settled && clock.elapsed() - asked.at >= trueForMs)) asked = ask()
    return asked.answer
  }
}

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const late = sleep(ms, undefined, { ref: false }).then(() => {
    throw new Unavailable(`the store did not answer within ${ms} ms`)
  })
  return Promise.race([work, late])
}
