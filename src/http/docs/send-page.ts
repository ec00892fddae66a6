import type { FastifyReply } from 'fastify'

/**
 * Only what comes from here is loaded, and nothing that is entered can be sent away by a form. A page can send requests
 * of its own only where that is what it is for, and then only to this service.
 */
const policy = (sendsRequests: boolean) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${sendsRequests ? "'self'" : "'none'"}`,
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')

export function sendPage(
  reply: FastifyReply,
  html: string,
  { sendsRequests = false }: { sendsRequests?: boolean } = {},
): FastifyReply {
  reply.header('content-security-policy', policy(sendsRequests)).header('referrer-policy', 'no-referrer')
  return sendFile(reply, 'text/html', html)
}

export function sendFile(reply: FastifyReply, type: string, text: string): FastifyReply {
  return reply.header('x-content-type-options', 'nosniff').type(`${type}; charset=utf-8`).send(text)
}
