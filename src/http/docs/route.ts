import type { FastifyInstance } from 'fastify'
import { pageRoute, pageRoutes, type SendPage } from '../../wire/pages/page-route.ts'
import { prefersHtml } from '../../wire/pages/prefers-html.ts'
import { sendFile, sendPage } from '../../wire/pages/send-page.ts'
import { styleRoute } from '../../wire/pages/style-route.ts'
import { browserScripts, scriptPaths } from './browser-scripts.ts'
import { downloads } from './downloads/send.ts'
import { madeFiles, madePaths } from './made-files.ts'

/** /docs: pages that load nothing from other hosts and need no build and no key. */
export function docsRoutes(app: FastifyInstance): void {
  styleRoute(app)
  pageRoute(app, '/docs', sendMade)
  const below = madePaths().filter((path) => path !== '/docs')
  pageRoutes(
    app,
    '/docs',
    new Map([
      ...below.map((path): [string, SendPage] => [path, sendMade]),
      ...scriptPaths().map((path): [string, SendPage] => [path, sendScript]),
      ...downloads(),
    ]),
  )
}

const sendMade: SendPage = async (reply, { raw }, path) => {
  const { type, text, sendsRequests, plain } = (await madeFiles()).get(path)!
  if (type !== 'text/html') return sendFile(reply, type, text)
  if (plain === null) return sendPage(reply, text, { sendsRequests })
  reply.header('vary', 'accept')
  if (prefersHtml(raw.headers.accept)) return sendPage(reply, text)
  return reply.type('text/plain; charset=utf-8').send(plain)
}

const sendScript: SendPage = async (reply, _, path) =>
  sendFile(reply, 'text/javascript', (await browserScripts()).get(path)!)
