import type { FastifyInstance } from 'fastify'
import { pageRoute } from '../../wire/pages/page-route.ts'
import { openApiDocument } from './openapi.ts'

/** /openapi.json: public, needs no key. */
export function contractRoute(app: FastifyInstance): void {
  const text = JSON.stringify(openApiDocument())
  pageRoute(app, '/openapi.json', (reply) => reply.type('application/json; charset=utf-8').send(text))
}
