import { hash } from 'node:crypto'

/**
 * SHA-256 over a version byte and every field that was written: a byte for null or present, four bytes of length, the
 * bytes. Integers are their decimal digits.
 *
 * All fields go into one buffer that is used again: this runs twice for every award and for every entry that is
 * verified, where arrays and buffers of its own would cost more than the hash.
 */
export const fieldDigest = { begin, writeText, writeInteger, writeBytes, finish }

const version = 1
const headerBytes = 5
const utf8BytesMax = 3
const billion = 1_000_000_000

let buffer = Buffer.allocUnsafe(4096)
let end = 0

function begin(): void {
  buffer[0] = version
  end = 1
}

function writeText(text: string | null): void {
  if (text === null) {
    writeNull()
  } else {
    const written = String(text) // a forged table may give bytes, and that shall be a wrong hash, not a crash
    const start = reserve(written.length * utf8BytesMax)
    writeHeader(1, buffer.write(written, start))
  }
}

function writeInteger(value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) writeNatural(value)
  else writeText(String(value))
}

function writeNatural(value: number): void {
  let length = 1
  for (let power = 10; power <= value; power *= 10) length++
  const start = reserve(length)
  // Division is fast only within 32 bits, so the last nine digits go by themselves.
  const high = value < billion ? 0 : Math.floor(value / billion)
  const middle = Math.max(start, start + length - 9)
  writeDigits(value - high * billion, middle, start + length)
  writeDigits(high, start, middle)
  writeHeader(1, length)
}

function writeDigits(value: number, start: number, finish: number): void {
  const digits = buffer
  let rest = value | 0
  for (let at = finish - 1; at >= start; at--) {
    const tenth = (rest / 10) | 0
    digits[at] = 0x30 + rest - tenth * 10
    rest = tenth
  }
}

function writeBytes(bytes: Uint8Array | null): void {
  if (bytes === null) {
    writeNull()
  } else {
    const start = reserve(bytes.length)
    buffer.set(bytes, start)
    writeHeader(1, bytes.length)
  }
}

function writeNull(): void {
  reserve(0)
  writeHeader(0, 0)
}

/** Makes room for the next field, perhaps in a new buffer, and gives the place of its bytes, behind the header. */
function reserve(length: number): number {
  const start = end + headerBytes
  if (start + length > buffer.length) {
    const larger = Buffer.allocUnsafe(2 * (start + length))
    larger.set(buffer)
    buffer = larger
  }
  return start
}

function writeHeader(present: 0 | 1, length: number): void {
  buffer[end] = present
  buffer[end + 1] = length >>> 24
  buffer[end + 2] = length >>> 16
  buffer[end + 3] = length >>> 8
  buffer[end + 4] = length
  end += headerBytes + length
}

function finish(): Uint8Array {
  // One character a byte: crypto takes longer to make a buffer than to hash.
  return Buffer.from(hash('sha256', buffer.subarray(0, end), 'latin1'), 'latin1')
}
