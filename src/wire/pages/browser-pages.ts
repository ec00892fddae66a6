import type { FastifyReply, FastifyRequest } from 'fastify'
import { prefersHtml } from './prefers-html.ts'
import { sendPage } from './send-page.ts'

/** What a browser gets at paths where a program gets a 404. */
export type BrowserPages = {
  /** At `/`: a page, or the path of one. */
  home: { page(): string } | { at: string }
  notFound(): string
}

/**
 * Whether to send a page instead of a problem. The API under /v1 always sends JSON: its clients read the body, whatever
 * their HTTP library puts into Accept.
 */
export function wantsPage({ method, raw }: FastifyRequest): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    !/^\/v1(\/|$|\?)/.test(raw.url!) &&
    prefersHtml(raw.headers.accept)
  )
}

/** Home, a redirect from a known path with a slash too many, or the 404 page. */
export function sendInstead(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  { home, notFound }: BrowserPages,
  isKnown: (path: string) => boolean,
): FastifyReply {
  const [path = ''] = raw.url!.split('?', 1)
  reply.header('vary', 'accept')
  if (path === '/') return 'at' in home ? reply.redirect(home.at) : sendPage(reply, home.page())
  const trimmed = path.replace(/\/$/, '')
  if (trimmed !== path && isKnown(trimmed)) return reply.redirect(trimmed)
  return sendPage(reply.code(404), notFound())
}
