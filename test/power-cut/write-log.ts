import { readFileSync } from 'node:fs'

/** One operation on the disk, or one response to a client, as recorder.c recorded it. */
export type Operation =
  | { kind: 'create' | 'mkdir' | 'unlink'; path: string }
  | { kind: 'syncing'; path: string; thread: number }
  | { kind: 'sync'; path: string; thread: number }
  | { kind: 'link'; path: string; to: string }
  | { kind: 'write'; path: string; offset: number; data: Buffer }
  | { kind: 'truncate'; path: string; size: number }
  | { kind: 'answer'; acknowledged: Acknowledged | null }

/** What a client may rely on from now on: this award, with this id and these points. */
export type Acknowledged = { epTransactionId: string; points: number }

const headerBytes = 24
const kinds = [
  '',
  'create',
  'write',
  'truncate',
  'syncing',
  'sync',
  'unlink',
  'link',
  'mkdir',
  'answer',
] as const

/** The operations in the order in which they happened. */
export function readWriteLog(path: string): Operation[] {
  const log = readFileSync(path)
  const operations: Operation[] = []
  for (let at = 0; at < log.length; ) {
    const kind = kinds[log.readUInt32LE(at)]
    const pathEnd = at + headerBytes + log.readUInt32LE(at + 4)
    const dataEnd = pathEnd + log.readUInt32LE(at + 8)
    const offset = Number(log.readBigUInt64LE(at + 16))
    const file = log.toString('utf8', at + headerBytes, pathEnd)
    operations.push(operationOf(kind, file, offset, log.subarray(pathEnd, dataEnd)))
    at = dataEnd
  }
  return operations
}

function operationOf(
  kind: (typeof kinds)[number] | undefined,
  path: string,
  offset: number,
  data: Buffer,
): Operation {
  switch (kind) {
    case 'create':
    case 'mkdir':
    case 'unlink':
      return { kind, path }
    case 'syncing':
    case 'sync':
      return { kind, path, thread: offset }
    case 'link':
      return { kind, path, to: data.toString() }
    case 'write':
      return { kind, path, offset, data }
    case 'truncate':
      return { kind, path, size: offset }
    case 'answer':
      return { kind, acknowledged: acknowledgedBy(data.toString()) }
    default:
      throw new Error('the log of the recorder is damaged')
  }
}

/** A 202, or a 200 with DUPLICATE; other responses promise nothing. */
function acknowledgedBy(answer: string): Acknowledged | null {
  const body = answer.slice(answer.indexOf('\r\n\r\n'))
  if (!body.includes('"epTransactionId"')) return null
  const { epTransactionId, points } = JSON.parse(body)
  return epTransactionId === undefined ? null : { epTransactionId, points }
}
