import type { FastifyReply } from 'fastify'

/**
 * Pages load only from this service, and no form can submit what is entered. Only a page made for sending requests may
 * send any, and only to this service.
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
    // Text that a script gives to the browser as HTML is refused, even where our own code has a mistake.
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
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
