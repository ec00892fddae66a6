import type { Static, TObject, TSchema } from 'typebox'
import type { Identity } from '../access/identify.ts'
import type { Permission } from '../access/permissions.ts'
import type { ApiParts } from './parts.ts'
import type { Tag } from './tags.ts'

/**
 * One operation of the API. Everything about it is declared here: what it takes and returns, who may use it, and whether
 * it shows a person's data. Requests are checked by these schemas, the OpenAPI document is made from them, and the tests
 * go through every declaration with every role and with every forged request. So a new route cannot escape them.
 */
export type ApiRoute = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/operator/v1`, as OpenAPI writes it: `/partners/{partnerId}`. */
  path: string
  summary: string
  description?: string
  tag: Tag
  /** `signed in`: whoever is; `anyone`: also those who are not. */
  needs: Permission | 'signed in' | 'anyone'
  /** A response may have addresses or notes: such a read is written to the access log. */
  personalData: boolean
  params: TObject
  query: TObject
  /** Null: the request has none. */
  body: TObject | null
  status: number
  /** Null: the response has none. */
  response: TSchema | null
  /** What it can be instead of JSON. */
  formats: Format[]
  handle(call: Call): Promise<Reply>
}

export type Format = 'text/csv' | 'application/x-ndjson'

/** A request that was checked, and who sent it. */
export type Call<Params = never, Query = never, Body = never> = {
  params: Params
  query: Query
  body: Body
  /** Null only where anyone may come. */
  identity: Identity | null
  /** The one that the route needs, and that the sender had when the request was admitted. */
  permission: Permission | null
  /** False: addresses and notes are left out. */
  seesPersonalData: boolean
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Which of the route's formats was asked for; null: JSON. */
  format: Format | null
  address: string
  requestId: string
  now: number
  parts: ApiParts
  /** For the access log: what the data was about. Never an address. */
  concerns(subject: string): void
  /** The response has no personal data after all: nothing is written to the access log. */
  showsNobody(): void
}

export type Reply<Body = unknown> = {
  /** The declared one if absent. */
  status?: number
  headers?: Record<string, string | string[]>
  body: Body
  /** A text in the format that was asked for, instead of the body. */
  text?: string
}

const nothing = { type: 'object', properties: {}, additionalProperties: false } as unknown as TObject

type Declared<
  P extends TObject,
  Q extends TObject,
  B extends TObject | null,
  R extends TSchema | null,
> = Omit<
  ApiRoute,
  'params' | 'query' | 'body' | 'response' | 'status' | 'formats' | 'personalData' | 'handle'
> & {
  params?: P
  query?: Q
  body?: B
  response: R
  status?: number
  formats?: Format[]
  personalData?: boolean
  handle(
    call: Call<Static<P>, Static<Q>, B extends TObject ? Static<B> : null>,
  ): Promise<Reply<R extends TSchema ? Static<R> : null>>
}

/** Declares a route: the types of the handler follow from the schemas. */
export function route<
  R extends TSchema | null,
  P extends TObject = TObject,
  Q extends TObject = TObject,
  B extends TObject | null = null,
>({
  params = nothing as P,
  query = nothing as Q,
  body = null as B,
  status = 200,
  formats = [],
  personalData = false,
  handle,
  ...declared
}: Declared<P, Q, B, R>): ApiRoute {
  return {
    ...declared,
    params,
    query,
    body,
    status,
    formats,
    personalData,
    handle: handle as unknown as ApiRoute['handle'],
  }
}
