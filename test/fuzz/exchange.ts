import type { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AnswerReader, type WireAnswer } from './answer-reader.ts'
import type { FuzzRequest } from './fuzz-request.ts'

/** The outcome of requests that were sent one after the other on one connection. */
export type Exchange = {
  /** In the order of the requests; the last request may have several if it is incomplete. */
  answers: WireAnswer[]
  /** The connection is closed: the next requests need another one. */
  closed: boolean
  /** We closed it because nothing more came: a request without a response may still have been processed. */
  hungUp: boolean
  /** The service closed it while we were still writing: some of its responses may be lost. */
  reset: boolean
  /** Neither a response nor a close in time, or a response that is not HTTP. */
  fault: string | null
}

/** The client of a broken request closes the connection after this much silence. */
const quietMs = 40
/** A request has 10 s to arrive completely, and the service checks once a second. */
const deadlineSeconds = 15

/**
 * Writes the requests at once, or in `pieces`, and waits for their responses. For an incomplete request, which is
 * always the last, the number of responses is not known: it ends with the connection. If it is `patient`, it
 * leaves closing to the service.
 */
export async function exchange(
  connection: Duplex,
  requests: FuzzRequest[],
  { pieces = 1, patient = false }: { pieces?: number; patient?: boolean } = {},
): Promise<Exchange> {
  const wanted = requests.filter(({ whole }) => whole).length
  const endsBroken = wanted < requests.length
  const reader = new AnswerReader()
  const answers: WireAnswer[] = []
  const { promise: over, resolve: end } = Promise.withResolvers<string | null>()
  let closed = false
  let hungUp = false
  let quiet: NodeJS.Timeout | undefined
  // Counted in steps, not one long timer: a machine that was suspended that long did not make a client wait.
  let seconds = 0
  const late = setInterval(() => {
    if (++seconds === deadlineSeconds) end(`no answer within ${deadlineSeconds} s`)
  }, 1000)

  const announcedClose = () => answers.at(-1)?.headers.get('connection')?.toLowerCase() === 'close'
  function waitForMore(): void {
    clearTimeout(quiet)
    if (answers.length < wanted || patient || hungUp) return
    quiet = setTimeout(() => {
      hungUp = true
      connection.end()
    }, quietMs)
  }
  function onData(chunk: Buffer): void {
    try {
      const isHead = (position: number) => requests[answers.length + position]?.isHead ?? false
      answers.push(...reader.push(chunk, isHead))
    } catch (error) {
      end((error as Error).message)
      return
    }
    if (endsBroken) waitForMore()
    else if (answers.length >= wanted && !announcedClose()) end(null)
  }
  function onClose(): void {
    closed = true
    end(reader.rest === '' || requests.at(-1)!.isHead ? null : `a torn answer: ${reader.rest.slice(0, 200)}`)
  }
  connection.on('data', onData).once('close', onClose)

  // No network brings a request before the service has noticed that its last response was sent. Without one, it may.
  await nextTurn()
  await write(connection, Buffer.concat(requests.map(({ bytes }) => bytes)), pieces)
  if (endsBroken) waitForMore()
  const fault = await over
  clearInterval(late)
  clearTimeout(quiet)
  connection.off('data', onData).off('close', onClose)
  if (fault !== null) connection.destroy()
  return { answers, closed: closed || fault !== null, hungUp, reset: connection.errored !== null, fault }
}

async function write(connection: Duplex, bytes: Buffer, pieces: number): Promise<void> {
  const pieceBytes = Math.ceil(bytes.length / pieces)
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    if (start > 0) await nextTurn()
    if (connection.writable) connection.write(bytes.subarray(start, start + pieceBytes))
  }
}
