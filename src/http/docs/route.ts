import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { openApiDocument } from '../contract/openapi.ts'
import { browserScripts, scriptPaths } from './browser-scripts.ts'
import { errorPages } from './error-pages.ts'
import { framed } from './page.ts'
import { referenceContent } from './reference/content.ts'
import { sendFile, sendPage } from './send-page.ts'

/** /docs: pages that load nothing from other hosts and need no build and no key. */
export function docsRoutes(app: FastifyInstance): void {
  const script = (name: string) => `/docs/scripts/http/docs/site/${name}.ts`
  const start = framed({
    path: '/docs',
    title: 'Your first award',
    content: siteFile('start.html'),
    scripts: [script('base-url')],
  })
  const reference = framed({
    path: '/docs/reference',
    title: 'Reference',
    content: referenceContent(openApiDocument()),
    scripts: [script('try')],
  })
  const signature = framed({
    path: '/docs/signature',
    title: 'Signature debugger',
    content: siteFile('signature.html'),
    scripts: [script('signature')],
  })
  app.get('/docs', async (_, reply) => sendPage(reply, start))
  app.get('/docs/reference', async (_, reply) => sendPage(reply, reference, { sendsRequests: true }))
  app.get('/docs/signature', async (_, reply) => sendPage(reply, signature))
  errorPages(app)

  const style = siteFile('style.css')
  app.get('/docs/style.css', async (_, reply) => sendFile(reply, 'text/css', style))
  for (const path of scriptPaths()) {
    app.get(path, async (_, reply) => sendFile(reply, 'text/javascript', (await browserScripts()).get(path)!))
  }
}

function siteFile(name: string): string {
  return readFileSync(new URL(`./site/${name}`, import.meta.url), 'utf8')
}
