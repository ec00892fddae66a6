import { createReadStream, statSync } from 'node:fs'
import { NoAnswer } from '../no-answer.ts'

type List = {
  /** Null for standard input. */
  path: string | null
  chunks: AsyncIterable<Uint8Array>
  /** How much of it is read, from 0 to 1; null where its length is not known. */
  done(): number | null
}

/** The partner's file, or standard input for -. */
export function openList(path: string, stdin: AsyncIterable<Uint8Array>): List {
  if (path === '-') return { path: null, chunks: stdin, done: () => null }
  try {
    const { size } = statSync(path)
    let bytesRead = 0
    const chunks = async function* () {
      for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) {
        bytesRead += chunk.length
        yield chunk
      }
    }
    return { path, chunks: chunks(), done: () => (size === 0 ? 1 : bytesRead / size) }
  } catch (error) {
    throw new NoAnswer(`the list cannot be read: ${(error as Error).message}`)
  }
}
