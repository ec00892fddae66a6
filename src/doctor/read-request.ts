import { type Bytes, textOf, utf8 } from './bytes.ts'
import { otherTool } from './other-tools.ts'
import { type FileReader, readCurl } from './read-curl.ts'
import { readHttp } from './read-http.ts'
import type { Reading } from './sent-request.ts'

/** Parses a pasted or saved request: a curl command, a shell script with one, or raw HTTP. */
export function readRequest(given: string | Bytes, readFile?: FileReader): Reading {
  const bytes = typeof given === 'string' ? utf8(given) : given
  const text = textOf(bytes)
  if (text !== null && !isHttp.test(text) && hasCurl.test(text)) return readCurl(text, readFile)
  const reading = readHttp(bytes)
  const advice = reading.ok || text === null || isHttp.test(text) ? null : otherTool(text)
  return advice === null ? reading : { ok: false, problem: advice }
}

const isHttp = /^\s*[A-Z]{3,} \S+( HTTP\/[\d.]+)?\r?(\n|$)/
/** A command, not the name in the headers that curl -v shows. */
const hasCurl = /(^|[\s;|&(){`])([\w.:~-]*[/\\])*curl(\.exe)?\s/
