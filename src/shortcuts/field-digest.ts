import { createHash, type Hash, hash } from 'node:crypto'

/**
 * SHA-256 over a version byte and every field that was written: a byte for null or present, four bytes of length, the
 * bytes. Integers are their decimal digits.
 *
 * Fields go into one buffer that is used again: this runs twice for every award and for every entry that is verified,
 * where arrays and buffers of its own would cost more than the hash. What does not fit goes on its way before.
 */
export const fieldDigest = { begin, writeText, writeInteger, writeBytes, finish }

/** Bytes as a text of one character each: to make a buffer for a digest takes longer than to hash. */
export type ByteText = string

export function byteTextOf(bytes: Uint8Array): ByteText {
  return Buffer.from(bytes).toString('latin1')
}

export function bytesOf(text: ByteText): Uint8Array {
  return Buffer.from(text, 'latin1')
}

const version = 1
const headerBytes = 5
const utf8BytesMax = 3
const billion = 1_000_000_000

const buffer = Buffer.allocUnsafeSlow(8192)
const lengths = new DataView(buffer.buffer)
/** Beginnings of the buffer, by their length: to make one takes a tenth of the time of the hash. */
const views: Uint8Array[] = []
let end = 0
let sent: Hash | null = null

function begin(): void {
  sent = null
  buffer[0] = version
  end = 1
}

function writeText(text: string | null): void {
  if (text === null) {
    writeNull()
  } else {
    // A forged table may give bytes, and that must give a wrong hash, not a crash.
    const whole = typeof text === 'string' ? text : String(text)
    const room = whole.length * utf8BytesMax
    if (isLarge(room)) sendLarge(Buffer.from(whole))
    else writeHeader(1, buffer.write(whole, reserve(room)))
  }
}

function writeInteger(value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) writeNatural(value)
  else writeText(String(value))
}

function writeNatural(value: number): void {
  // Division is fast only within 32 bits, so the last nine digits go by themselves.
  const high = value < billion ? 0 : Math.floor(value / billion)
  const low = value - high * billion
  const highLength = high === 0 ? 0 : countDigits(high)
  const length = highLength + (high === 0 ? countDigits(low) : 9)
  const start = reserve(length)
  writeDigits(high, start, start + highLength)
  writeDigits(low, start + highLength, start + length)
  writeHeader(1, length)
}

function countDigits(value: number): number {
  let count = 1
  for (let power = 10; power <= value; power *= 10) count++
  return count
}

function writeDigits(value: number, start: number, finish: number): void {
  let rest = value | 0
  for (let at = finish - 1; at >= start; at--) {
    const tenth = (rest / 10) | 0
    buffer[at] = 0x30 + rest - tenth * 10
    rest = tenth
  }
}

function writeBytes(bytes: Uint8Array | ByteText | null): void {
  if (bytes === null) {
    writeNull()
  } else if (isLarge(bytes.length)) {
    sendLarge(typeof bytes === 'string' ? bytesOf(bytes) : bytes)
  } else {
    const start = reserve(bytes.length)
    if (typeof bytes === 'string') buffer.write(bytes, start, 'latin1')
    else buffer.set(bytes, start)
    writeHeader(1, bytes.length)
  }
}

function writeNull(): void {
  reserve(0)
  writeHeader(0, 0)
}

/** Makes room for the next field and gives the place of its bytes, behind the header. */
function reserve(length: number): number {
  if (end + headerBytes + length > buffer.length) send()
  return end + headerBytes
}

/** Of a field whose bytes are in their place. */
function writeHeader(present: 0 | 1, length: number): void {
  buffer[end] = present
  lengths.setUint32(end + 1, length)
  end += headerBytes + length
}

function isLarge(length: number): boolean {
  return headerBytes + length > buffer.length
}

function sendLarge(bytes: Uint8Array): void {
  reserve(0)
  writeHeader(1, bytes.length)
  end -= bytes.length
  send().update(bytes)
}

function send(): Hash {
  sent ??= createHash('sha256')
  sent.update(buffer.subarray(0, end))
  end = 0
  return sent
}

function finish(): ByteText {
  if (sent !== null) return send().digest('latin1')
  const view = views[end] ?? buffer.subarray(0, end)
  views[end] = view
  return hash('sha256', view, digestForm)
}

/** That its length is asked for spares crypto to look at every call whether the algorithm is one without. */
const digestForm = { outputEncoding: 'latin1', outputLength: 32 } as const
