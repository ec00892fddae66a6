import { parentPort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { Unavailable } from '../../../ledger/errors.ts'
import { asUnavailable } from '../database.ts'

/**
 * A thread of the store, as seen by its callers. It handles one request at a time, in order. Answers are text or null:
 * messages between threads are cloned, and cloning an object takes longer than cloning its text.
 */
export type Thread<Question, Answer extends string | null> = {
  ask(question: Question): Promise<Answer>
  /** Sends the first request. If the thread cannot start or answer, this throws and ends the thread. */
  begin(question: Question): Promise<Answer>
  isBusy(): boolean
  /** Everything asked before is answered first. Further calls wait, too. */
  close(): Promise<void>
}

/** `unavailable` is a failure of the disk or the file, `bug` an error in our code. */
type Failure = { unavailable: string; forPartners: string | null } | { bug: unknown }

const closing = 'close'

type Ends = {
  /** The service can do without the thread. */
  onDeath?(error: unknown): void
  /**
   * It ended before its first answer. A process that has no file or no memory left for a thread fails in many ways, and
   * may have them later: the requests are `Unavailable`, and the next one may start another thread.
   */
  onNotStarted?(): void
}

/**
 * Requests and replies come in pairs, in order. A thread that ends on its own is a bug and ends the process, unless
 * the caller knows what to do then. Throws `Unavailable` if the process may have no more threads now.
 */
export function startThread<Question, Answer extends string | null>(
  file: URL,
  workerData: unknown,
  { onDeath, onNotStarted }: Ends = {},
): Thread<Question, Answer> {
  const thread = newWorker(file, workerData)
  const pending: { resolve(answer: Answer): void; reject(error: unknown): void }[] = []
  const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()))
  let hasAnswered = false
  let isClosing = false
  if (onDeath !== undefined || onNotStarted !== undefined) {
    thread.on('error', (error) => {
      const notStarted = !hasAnswered && onNotStarted !== undefined
      if (notStarted) onNotStarted()
      else if (onDeath !== undefined) onDeath(error)
      else throw error
      const reason = notStarted ? noThread(error) : error
      for (const waiting of pending.splice(0)) waiting.reject(reason)
    })
  }
  thread.on('message', (replies: (Answer | Failure)[]) => {
    hasAnswered = true
    for (const reply of replies) {
      const waiting = pending.shift()!
      if (reply === null || typeof reply === 'string') waiting.resolve(reply)
      else if ('bug' in reply) waiting.reject(reply.bug)
      else waiting.reject(new Unavailable(reply.unavailable, { forPartners: reply.forPartners }))
    }
  })

  function ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      pending.push({ resolve, reject })
      thread.postMessage(question)
    })
  }

  async function begin(question: Question): Promise<Answer> {
    const failed = new Promise<never>((_, reject) => thread.once('error', reject))
    try {
      const answer = await Promise.race([ask(question), failed])
      thread.removeAllListeners('error')
      return answer
    } catch (error) {
      await thread.terminate()
      throw error
    }
  }

  function close(): Promise<void> {
    if (!isClosing) thread.postMessage(closing)
    isClosing = true
    return ended
  }

  return { ask, begin, isBusy: () => pending.length > 0, close }
}

function newWorker(file: URL, workerData: unknown): Worker {
  try {
    return new Worker(file, { workerData })
  } catch (error) {
    throw noThread(error)
  }
}

function noThread(cause: unknown): Unavailable {
  return new Unavailable('no thread can be started', { cause })
}

/**
 * The thread's side. Up to `repliesMax` requests that are already waiting are answered in one message, so that the
 * caller's event loop is woken once and not for each reply.
 */
export function answerQuestions<Question, Answer extends string | null>(
  answer: (question: Question) => Answer,
  {
    close,
    replied = () => {},
    repliesMax = 1,
  }: {
    close(): void | Promise<void>
    /** What the caller need not wait for. */
    replied?(): void
    repliesMax?: number
  },
): void {
  const port = parentPort!
  port.on('message', async (first: Question | typeof closing) => {
    const replies: (Answer | Failure)[] = []
    let next: { message: Question | typeof closing } | undefined = { message: first }
    while (next !== undefined && next.message !== closing) {
      replies.push(reply(next.message))
      next = replies.length < repliesMax ? receiveMessageOnPort(port) : undefined
    }
    if (replies.length > 0) {
      port.postMessage(replies)
      replied()
    }
    if (next?.message !== closing) return
    await close()
    port.close()
  })

  function reply(question: Question): Answer | Failure {
    try {
      return answer(question)
    } catch (error) {
      const known = asUnavailable(error)
      if (!(known instanceof Unavailable)) return { bug: error }
      return { unavailable: known.message, forPartners: known.forPartners }
    }
  }
}
