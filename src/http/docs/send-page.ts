import type { FastifyReply } from 'fastify'

/** Only what comes from here is loaded, and nothing that is entered can be sent away by a form. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

export function sendPage(reply: FastifyReply, html: string): FastifyReply {
  reply.header('content-security-policy', policy).header('referrer-policy', 'no-referrer')
  return sendFile(reply, 'text/html', html)
}

export function sendFile(reply: FastifyReply, type: string, text: string): FastifyReply {
  return reply.header('x-content-type-options', 'nosniff').type(`${type}; charset=utf-8`).send(text)
}
