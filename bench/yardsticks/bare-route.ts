import Fastify from 'fastify'
import type { FixedAnswer } from '../ceiling.ts'

/**
 * The ceiling: what this framework on this Node achieves when nothing is decided and nothing is stored. It reads the raw
 * body, responds with given bytes, and logs nothing. `{status, headers, body}` is its only
 * argument.
 */
const { status, headers, body } = JSON.parse(process.argv[2]!) as FixedAnswer

const app = Fastify({ logger: false })
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, bytes, done) => done(null, bytes))
app.route({
  method: ['GET', 'POST'],
  url: '/v1/*',
  handler: async (_, reply) => reply.code(status).headers(headers).send(body),
})
const url = await app.listen({ host: '127.0.0.1', port: 0 })
console.log(JSON.stringify({ url }))
