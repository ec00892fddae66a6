import type { Schema } from '../../../wire/problems/member-schema.ts'

/** The parts of the OpenAPI document that the page shows, with references resolved. */
export type Document = {
  info: { summary: string; description: string }
  paths: Record<string, Record<string, Operation>>
  components: { securitySchemes: Record<string, { name: string; description: string }>; schemas: Schemas }
}

export type Schemas = Record<string, Schema>

export type Operation = {
  operationId: string
  summary: string
  description: string
  parameters: Parameter[]
  requestBody?: { content: Record<string, Content> }
  responses: Record<string, Response>
  'x-rules-beyond-schema'?: string[]
}

type Parameter = {
  name: string
  in: string
  required: boolean
  description: string
  schema: Schema
}

export type Response = {
  description: string
  headers: Record<string, { required: boolean; description: string; schema: Schema }>
  content: Record<string, Content>
}

export type Content = { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }

/** Replaces every $ref by its target. There are no circular references. */
export function readDocument(document: Schema): Document {
  return followed(document) as Document

  function followed(part: unknown): unknown {
    if (Array.isArray(part)) return part.map(followed)
    if (typeof part !== 'object' || part === null) return part
    if ('$ref' in part) return followed(target(String(part.$ref)))
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, followed(value)]))
  }

  function target(ref: string): unknown {
    const steps = ref.split('/').slice(1)
    return steps.reduce<unknown>((part, step) => (part as Schema)[step], document)
  }
}
