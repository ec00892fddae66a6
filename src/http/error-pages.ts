import type { FastifyInstance } from 'fastify'
import { problems } from '../wire/problem.ts'

/** Where the `type` of every problem points: what it means and what to do, in plain text. */
export function errorPages(app: FastifyInstance): void {
  for (const [code, { status, title, advice }] of Object.entries(problems)) {
    const page = `${code} (HTTP ${status})\n\n${title}.\n\n${advice}\n`
    app.get(`/docs/errors/${code}`, async (_, reply) => reply.type('text/plain; charset=utf-8').send(page))
  }
}
