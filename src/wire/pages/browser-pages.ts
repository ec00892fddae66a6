import type { FastifyReply, FastifyRequest } from 'fastify'
import { prefersHtml } from './prefers-html.ts'
import { sendPage } from './send-page.ts'

/** What a browser gets at paths where a program gets a 404. */
export type BrowserPages = {
  /** At `/`: the path of a page. Without it, `page` has one. */
  home?: { at: string }
  /** The page of an application that runs in the browser and shows what the path names; null if it has none there. */
  page?(path: string): string | null
  notFound(): string
}

/**
 * Whether to send a page instead of a problem. The APIs always send JSON: their clients read the body, whatever their HTTP
 * library puts into Accept.
 */
export function wantsPage({ method, raw }: FastifyRequest): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    !/^(\/operator)?\/v1(\/|$|\?)/.test(raw.url!) &&
    prefersHtml(raw.headers.accept)
  )
}

/** Sends the application's page at this path. Null if there is none. */
export function sendApplication(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  { page }: BrowserPages,
): FastifyReply | null {
  const html = page?.(pathOf(raw)) ?? null
  return html === null ? null : sendPage(reply.header('vary', 'accept'), html, { sendsRequests: true })
}

/** Home, a redirect from a known path with a slash too many, or the 404 page. */
export function sendInstead(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  { home, notFound, page }: BrowserPages,
  isKnown: (path: string) => boolean,
): FastifyReply {
  const path = pathOf(raw)
  reply.header('vary', 'accept')
  if (path === '/' && home !== undefined) return reply.redirect(home.at)
  const trimmed = path.replace(/\/$/, '')
  if (trimmed !== path && (isKnown(trimmed) || page?.(trimmed))) return reply.redirect(trimmed)
  return sendPage(reply.code(404), notFound())
}

function pathOf({ url }: FastifyRequest['raw']): string {
  return url!.split('?', 1)[0]!
}
