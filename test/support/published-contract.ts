import { readFileSync } from 'node:fs'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'

// biome-ignore lint/suspicious/noExplicitAny: the document is read as data; a wrong path in it fails the test
type Node = any

/** The committed contract, read with a JSON Schema library that is independent of our code. */
export const publishedText = readFileSync(new URL('../../contract/openapi.json', import.meta.url), 'utf8')
export const published: Node = JSON.parse(publishedText)

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
ajv.addSchema(published, 'published')

/** A check for the part of the document to which a pointer leads. */
export function publishedSchema(pointer: string): ValidateFunction {
  return ajv.compile({ $ref: `published#${pointer}` })
}

export function schemaCheck(schema: object): ValidateFunction {
  return ajv.compile(schema)
}

/**
 * Clients must accept members that are added later, so the published schemas are open. The service itself must not
 * send a member that it does not publish, so here they are closed.
 */
const closed = closedCopy(published)
ajv.addSchema(closed, 'closed')

export function closedSchema(pointer: string): ValidateFunction {
  return ajv.compile({ $ref: `closed#${pointer}` })
}

/** One step of a JSON Pointer. */
export function step(key: string): string {
  return `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`
}

/** The top-level members that a check complains about. */
export function namedBy(errors: ErrorObject[] | null | undefined): Set<string> {
  return new Set(
    (errors ?? []).map(
      ({ instancePath, params }) =>
        params.missingProperty ?? params.additionalProperty ?? instancePath.split('/')[1] ?? '',
    ),
  )
}

function closedCopy(node: Node): Node {
  if (Array.isArray(node)) return node.map(closedCopy)
  if (typeof node !== 'object' || node === null) return node
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closedCopy(value)]))
  return copy.type === 'object' && copy.properties !== undefined
    ? { ...copy, additionalProperties: false }
    : copy
}
