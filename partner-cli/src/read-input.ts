import { readFileSync } from 'node:fs'
import { NoAnswer } from './no-answer.ts'

/** The whole of a file, or of standard input for -. */
export async function readInput(
  path: string,
  stdin: AsyncIterable<Uint8Array>,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    if (path !== '-') return Uint8Array.from(readFileSync(path))
    const chunks: Uint8Array[] = []
    for await (const chunk of stdin) chunks.push(chunk)
    return Uint8Array.from(Buffer.concat(chunks))
  } catch (error) {
    throw new NoAnswer(`it cannot be read: ${(error as Error).message}`)
  }
}
