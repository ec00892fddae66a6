import { type Bytes, textOf, utf8 } from './bytes.ts'
import { type FileReader, readCurl } from './read-curl.ts'
import { readHttp } from './read-http.ts'
import type { Reading } from './sent-request.ts'

/** Parses a pasted or saved request: a curl command or raw HTTP. */
export function readRequest(given: string | Bytes, readFile?: FileReader): Reading {
  const bytes = typeof given === 'string' ? utf8(given) : given
  const text = textOf(bytes)
  if (text !== null && /^\s*(\$ +)?curl\s/.test(text)) return readCurl(text, readFile)
  return readHttp(bytes)
}
