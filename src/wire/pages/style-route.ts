import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { sharedStyle } from './frame.ts'
import { pageRoute } from './page-route.ts'
import { sendFile } from './send-page.ts'

const style = readFileSync(new URL('./style.css', import.meta.url), 'utf8')

/** The stylesheet of all pages: a page loads only from the listener that serves it. */
export function styleRoute(app: FastifyInstance): void {
  pageRoute(app, sharedStyle, (reply) => sendFile(reply, 'text/css', style))
}
