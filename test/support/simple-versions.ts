import { createHash, createHmac, randomBytes } from 'node:crypto'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import type { Logger } from 'pino'

/**
 * The obvious code that each file of src/shortcuts replaces. The tests there compare with it, and `npm run shortcuts`
 * measures against it.
 */
export function simpleHmac(secret: string, ...parts: Uint8Array[]): Buffer {
  const hmac = createHmac('sha256', secret)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}

export type Field = string | number | Uint8Array | null

export function simpleFieldDigest(fields: Field[]): Buffer {
  const hash = createHash('sha256').update(Uint8Array.of(1))
  for (const field of fields) {
    const bytes = field instanceof Uint8Array ? field : Buffer.from(String(field ?? ''))
    const header = Buffer.alloc(5)
    header.writeUInt8(field === null ? 0 : 1)
    header.writeUInt32BE(bytes.length, 1)
    hash.update(header).update(bytes)
  }
  return hash.digest()
}

export function simpleIsoTimes(): (ms: number) => string {
  return (ms) => new Date(ms).toISOString()
}

export function simpleSalts(saltBytes: number): () => Uint8Array {
  return () => randomBytes(saltBytes)
}

export function simpleHeaderValues(
  { headersDistinct }: { headersDistinct: NodeJS.Dict<string[]> },
  name: string,
): string[] {
  return headersDistinct[name] ?? []
}

export function simpleCreditedText(credited: {
  epTransactionId: string
  orderId: string
  points: number
}): string {
  const { epTransactionId, orderId, points } = credited
  return JSON.stringify({ epTransactionId, status: 'COMPLETED', orderId, points })
}

export function simpleLogLine(log: Logger, fields: object, message: string): void {
  log.info(fields, message)
}

export function simpleRows(statement: { all(limit: number): unknown[] }, limit: number): unknown[] {
  return statement.all(limit)
}

type Account = { partnerId: string; tenantId: string }

export class SimpleAccountMap<Value> {
  readonly #byPartner = new Map<string, Map<string, Value>>()

  get size(): number {
    return this.values().length
  }

  get({ partnerId, tenantId }: Account): Value | undefined {
    return this.#byPartner.get(partnerId)?.get(tenantId)
  }

  set({ partnerId, tenantId }: Account, value: Value): void {
    const byTenant = this.#byPartner.get(partnerId) ?? new Map<string, Value>()
    this.#byPartner.set(partnerId, byTenant.set(tenantId, value))
  }

  delete({ partnerId, tenantId }: Account): void {
    this.#byPartner.get(partnerId)?.delete(tenantId)
  }

  values(): Value[] {
    return [...this.#byPartner.values()].flatMap((byTenant) => [...byTenant.values()])
  }
}

/** What `postMessage` does to a value for another thread: it is serialized and deserialized. */
export function simplePassage<T>(value: T): T {
  port1.postMessage(value)
  return receiveMessageOnPort(port2)!.message
}

const { port1, port2 } = new MessageChannel()

/** A request as Node's parser builds it from these names and values. */
export function requestWith(rawHeaders: string[]): IncomingMessage {
  const request = new IncomingMessage(new Socket())
  const parsed = request as unknown as { _addHeaderLines(headers: string[], count: number): void }
  parsed._addHeaderLines(rawHeaders, rawHeaders.length)
  return request
}
