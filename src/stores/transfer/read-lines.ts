import { Damaged } from '../../ledger/errors.ts'

/** No line of ours comes near: without a bound, a file that has no lines would fill the memory. */
const lineBytesMax = 16_777_216
const newline = 0x0a

/** `isWhole`: it ended with a newline. Only the last one may not. */
export type TextLine = { number: number; bytes: Uint8Array; text: string; isWhole: boolean }

/** Bytes as numbered lines of UTF-8, without repairing invalid bytes. */
export async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<TextLine> {
  let number = 0
  let pieces: Uint8Array[] = []
  let pieceBytes = 0

  function lineOf(last: Uint8Array, isWhole: boolean): TextLine {
    number++
    const bytes = pieces.length === 0 ? last : Buffer.concat([...pieces, last])
    pieces = []
    pieceBytes = 0
    return { number, bytes, text: textOf(bytes, number), isWhole }
  }

  for await (const chunk of input) {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      yield lineOf(chunk.subarray(start, end + 1), true)
      start = end + 1
    }
    const rest = chunk.subarray(start)
    if (rest.length === 0) continue
    pieces.push(rest)
    pieceBytes += rest.length
    if (pieceBytes > lineBytesMax)
      throw new Damaged(`line ${number + 1}: is longer than any line of an export`)
  }
  if (pieceBytes > 0) yield lineOf(new Uint8Array(), false)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(bytes: Uint8Array, number: number): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new Damaged(`line ${number}: is not UTF-8`)
  }
}
