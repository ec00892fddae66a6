import type { Bytes } from './bytes.ts'

/** The parts of a sent request that matter for its signature. */
export type SentRequest = {
  endpoint: 'award' | 'history'
  /** Path and query, as sent. */
  target: string
  body: Bytes
  /** Header values as sent, one per occurrence. */
  apiKey: string[]
  timestamp: string[]
  signature: string[]
  contentType: string[]
  /** Remarks for the user about how the text was interpreted. */
  notes: string[]
}

export type Reading = { ok: true; request: SentRequest } | { ok: false; problem: string }

type TenantId = {
  /** As written in the query string. */
  raw: string
  /** What is signed. */
  decoded: string
}

/** The tenantId of a history request; empty if there is none. */
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

/** Builds a request from what the curl parser or the HTTP parser found. */
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
  const elsewhere = `It was treated as ${endpoint === 'award' ? 'an award' : 'a history request'} because of ${method}, although its path is not ${expected}.`
  return {
    ok: true,
    request: {
      endpoint,
      target,
      body,
      apiKey: valuesOf('x-api-key'),
      timestamp: valuesOf('x-timestamp'),
      signature: valuesOf('x-signature'),
      contentType: valuesOf('content-type'),
      notes: path === expected ? notes : [...notes, elsewhere],
    },
  }
}
