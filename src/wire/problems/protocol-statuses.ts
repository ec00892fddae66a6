import { limits } from '../limits.ts'

/** Not by toLocaleString, whose first call takes 30 ms: this runs at every start. */
const bytes = (count: number) => `${String(count).replace(/\B(?=(\d{3})+$)/g, ',')} bytes`

/**
 * INVALID_REQUEST also has the statuses that HTTP itself defines. The order of the keys is the order of the docs.
 */
export const protocolStatuses = {
  405: {
    when: 'The path takes another method.',
    retry: 'No.',
    headers: { Allow: 'The methods that the path takes.' },
  },
  408: {
    when: `The request did not arrive completely within ${limits.requestTimeoutMs / 1000} s.`,
    retry: 'Yes.',
  },
  413: {
    when: `The body exceeds ${bytes(limits.bodyBytesMax)}, or comes in more than ${limits.bodyChunksMax} chunks or in too many small ones.`,
    retry: 'No.',
  },
  414: { when: `The request target exceeds ${bytes(limits.targetBytesMax)}.`, retry: 'No.' },
  415: {
    when: 'Content-Type is not application/json (charset utf-8 is allowed), or there is a Content-Encoding.',
    retry: 'No.',
  },
  417: { when: 'There is an `Expect` other than `100-continue`.', retry: 'No.' },
  431: {
    when: `The headers exceed ${bytes(limits.headerBytesMax)}, or there are more than ${limits.headersMax}.`,
    retry: 'No.',
  },
} satisfies Record<number, ProtocolStatus>

export type ProtocolStatus = { when: string; retry: string; headers?: Readonly<Record<string, string>> }
