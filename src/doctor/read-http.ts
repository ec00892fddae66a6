import { type Bytes, textOf, utf8 } from './bytes.ts'
import { type Reading, sentRequest } from './sent-request.ts'

/** Parses raw HTTP/1.1, byte for byte, or the lines with `>` in the output of curl -v. */
export function readHttp(given: Bytes): Reading {
  const bytes = sentLinesOfCurl(given) ?? withoutEmptyLinesAhead(given)
  const { head, body } = parted(bytes)
  const lines = (textOf(head) ?? latin1Text(head)).split(/\r?\n/)
  const [, method, target] = /^([A-Z]+) (\S+)( HTTP\/[\d.]+)?$/.exec(lines[0]!.trimEnd()) ?? []
  if (method === undefined || target === undefined) {
    const problem =
      'this is neither a curl command nor an HTTP request: it must begin with "curl" or with a line such as "POST /v1/ep/webhook HTTP/1.1"'
    return { ok: false, problem }
  }
  const headers: [string, string][] = []
  for (const line of lines.slice(1).filter((line) => line.trim() !== '')) {
    const [, name, value] = /^([^\s:]+):(.*)$/s.exec(line) ?? []
    if (name === undefined) return { ok: false, problem: `this line is not a header: ${line.slice(0, 40)}` }
    headers.push([name, value!.trim()])
  }
  const length = headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1]
  const declared = /^\d+$/.test(length ?? '') ? Number(length) : null
  const path = target.replace(/^https?:\/\/[^/]*/, '')
  return sentRequest({ method, target: path, headers, ...asDeclared(body, declared) })
}

/**
 * Pasting adds a newline at the end and converts CRLF to LF. Content-Length says which body was sent; without it, the
 * body is taken as pasted.
 */
function asDeclared(body: Bytes, declared: number | null): { body: Bytes; notes: string[] } {
  if (declared === null || declared === body.length) return { body, notes: [] }
  const rest = body.subarray(declared)
  if (rest.every(isNewline) && declared < body.length) return { body: body.slice(0, declared), notes: [] }
  const text = textOf(body)
  for (const candidate of text === null ? [] : [withCrlf(text), withCrlf(text.replace(/\n$/, ''))]) {
    const note = 'Pasting converted CRLF line endings to LF: Content-Length matches the body with CRLF.'
    if (candidate.length === declared) return { body: candidate, notes: [note] }
  }
  return {
    body,
    notes: [
      `Content-Length is ${declared}, but the body here has ${body.length} bytes: check that it is complete.`,
    ],
  }
}

function parted(bytes: Bytes): { head: Bytes; body: Bytes } {
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== 10) continue
    const next = bytes[at + 1] === 13 ? at + 2 : at + 1
    if (bytes[next] === 10) return { head: bytes.slice(0, at), body: bytes.slice(next + 1) }
  }
  return { head: bytes, body: new Uint8Array() }
}

function sentLinesOfCurl(bytes: Bytes): Bytes | null {
  const lines = textOf(bytes)?.split(/\r?\n/) ?? []
  const sent = lines.filter((line) => /^>( |$)/.test(line)).map((line) => line.slice(2))
  return /^[A-Z]+ \S+ HTTP/.test(sent[0] ?? '') ? utf8(sent.join('\n')) : null
}

function withoutEmptyLinesAhead(bytes: Bytes): Bytes {
  const start = bytes.findIndex((byte) => !isNewline(byte))
  return start > 0 ? bytes.slice(start) : bytes
}

function isNewline(byte: number): boolean {
  return byte === 10 || byte === 13
}

function withCrlf(text: string): Bytes {
  return utf8(text.replaceAll(/\r?\n/g, '\r\n'))
}

function latin1Text(bytes: Bytes): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
}
