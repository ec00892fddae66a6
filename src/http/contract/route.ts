import type { FastifyInstance } from 'fastify'
import { openApiDocument } from './openapi.ts'

/** GET /openapi.json: public, needs no key. */
export function contractRoute(app: FastifyInstance): void {
  const text = JSON.stringify(openApiDocument())
  app.get('/openapi.json', async (_, reply) => reply.type('application/json; charset=utf-8').send(text))
}
