import type { Bytes } from './bytes.ts'

/** A request as its sender has it: what a signature is about, and nothing else of it. */
export type SentRequest = {
  endpoint: 'award' | 'history'
  /** Path and query, as sent. */
  target: string
  body: Bytes
  /** Header values as sent, each occurrence by itself. */
  apiKey: string[]
  timestamp: string[]
  signature: string[]
  /** What the reader should know about how the text was understood. */
  notes: string[]
}

export type Reading = { ok: true; request: SentRequest } | { ok: false; problem: string }

type TenantId = {
  /** As it stands in the query. */
  raw: string
  /** What is signed. */
  decoded: string
}

/** The tenantId of a history request; empty where there is none or none that can be decoded. */
export function tenantIdOf(target: string): TenantId {
  const [, query = ''] = target.split(/\?(.*)/s)
  const part = query.split('&').find((part) => part.startsWith('tenantId=')) ?? ''
  const raw = part.slice('tenantId='.length)
  try {
    return { raw, decoded: decodeURIComponent(raw.replaceAll('+', ' ')) }
  } catch {
    return { raw, decoded: raw }
  }
}

/** Puts a request together from what both ways of reading find. */
export function sentRequest({
  method,
  target,
  headers,
  body,
  notes,
}: {
  method: string
  target: string
  headers: [name: string, value: string][]
  body: Bytes
  notes: string[]
}): Reading {
  if (method !== 'POST' && method !== 'GET') {
    return { ok: false, problem: `${method} is neither an award (POST) nor a history request (GET)` }
  }
  const valuesOf = (name: string) =>
    headers.filter(([header]) => header.toLowerCase() === name).map(([, value]) => value)
  const endpoint = method === 'POST' ? 'award' : 'history'
  const path = target.replace(/\?.*/s, '')
  const expected = endpoint === 'award' ? '/v1/ep/webhook' : '/v1/ep/webhook/awards'
  const elsewhere = `It was read as ${endpoint === 'award' ? 'an award' : 'a history request'} because of ${method}; its path is not ${expected}.`
  return {
    ok: true,
    request: {
      endpoint,
      target,
      body,
      apiKey: valuesOf('x-api-key'),
      timestamp: valuesOf('x-timestamp'),
      signature: valuesOf('x-signature'),
      notes: path === expected ? notes : [...notes, elsewhere],
    },
  }
}
