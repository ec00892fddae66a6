/** A response as it arrived. */
export type WireAnswer = { status: number; headers: Map<string, string>; text: string }

/** Splits the bytes of one connection into responses. */
export class AnswerReader {
  #received: Buffer = Buffer.alloc(0)

  /** The responses that are complete now. `isHead` tells whether the next one, counted from the last call, has no body. */
  push(chunk: Buffer, isHead: (position: number) => boolean): WireAnswer[] {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    const answers: WireAnswer[] = []
    for (;;) {
      const end = this.#received.indexOf('\r\n\r\n')
      if (end < 0) return answers
      const { status, headers } = readHead(this.#received.toString('latin1', 0, end))
      const bodyStart = end + 4
      const isInterim = status >= 100 && status < 200
      const length = isInterim || isHead(answers.length) ? 0 : bodyLength(headers)
      if (this.#received.length < bodyStart + length) return answers
      const text = this.#received.toString('utf8', bodyStart, bodyStart + length)
      this.#received = this.#received.subarray(bodyStart + length)
      if (!isInterim) answers.push({ status, headers, text })
    }
  }

  /** Bytes of an incomplete response. */
  get rest(): string {
    return this.#received.toString('latin1')
  }
}

function readHead(head: string): Pick<WireAnswer, 'status' | 'headers'> {
  const [statusLine = '', ...lines] = head.split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1])
  if (Number.isNaN(status)) throw new Error(`not an answer: ${JSON.stringify(head.slice(0, 100))}`)
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
  }
  return { status, headers }
}

function bodyLength(headers: Map<string, string>): number {
  const length = headers.get('content-length')
  if (length === undefined) throw new Error('an answer without a length')
  return Number(length)
}
