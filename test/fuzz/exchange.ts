import type { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AnswerReader, type WireAnswer } from './answer-reader.ts'
import type { FuzzRequest } from './fuzz-request.ts'

/** What came of requests that were sent one behind the other on one connection. */
export type Exchange = {
  /** In the order of the requests; the last request may have several if it is not whole. */
  answers: WireAnswer[]
  /** The connection is gone: the next requests need another one. */
  closed: boolean
  /** We hung up because nothing more came: what was not answered may still have been done. */
  hungUp: boolean
  /** The service closed while we were still writing: what it had answered may be lost on the way. */
  reset: boolean
  /** Neither answered nor closed in time, or answered with what is no HTTP. */
  fault: string | null
}

/** After so much silence whoever sent a broken request hangs up. */
const quietMs = 40
/** A request has 10 s to arrive whole, and the service looks once a second. */
const deadlineSeconds = 15

/**
 * Writes the requests in one go, or in `pieces`, and waits for their answers. Of a request that is not whole, which is
 * always the last, nobody knows how many answers it has: its end is the end of the connection. If it is `patient` it
 * leaves the hanging up to the service.
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
  // Counted, not awaited in one piece: a machine that stood still for so long has not kept anybody waiting.
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
