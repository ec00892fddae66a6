import type { IncomingMessage } from 'node:http'

/** All values of the header with this (lowercase) name. `headersDistinct` would group all headers to find one. */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at]!
    if (header.length === name.length && header.toLowerCase() === name) values.push(rawHeaders[at + 1]!)
  }
  return values
}
