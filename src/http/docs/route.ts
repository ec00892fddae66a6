import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { pageRoute } from '../../wire/pages/page-route.ts'
import { sendFile, sendPage } from '../../wire/pages/send-page.ts'
import { styleRoute } from '../../wire/pages/style-route.ts'
import { openApiDocument } from '../contract/openapi.ts'
import { browserScripts, scriptPaths } from './browser-scripts.ts'
import { withColors } from './code-block.ts'
import { downloadRoutes } from './downloads/route.ts'
import { errorPages } from './error-pages.ts'
import { examplePrograms, programTabs, signTabs } from './language-tabs.ts'
import { libraryPages } from './libraries/route.ts'
import { framed } from './page.ts'
import { referenceContent } from './reference/content.ts'

/** /docs: pages that load nothing from other hosts and need no build and no key. */
export function docsRoutes(app: FastifyInstance): void {
  const start = framed({
    path: '/docs',
    title: 'Your first award',
    content: startContent(siteFile('start.html')),
  })
  const reference = framed({
    path: '/docs/reference',
    title: 'Reference',
    content: referenceContent(openApiDocument()),
    scripts: ['try'],
  })
  const signature = framed({
    path: '/docs/signature',
    title: 'Signature debugger',
    content: siteFile('signature.html'),
    scripts: ['signature'],
  })
  pageRoute(app, '/docs', (reply) => sendPage(reply, start))
  pageRoute(app, '/docs/reference', (reply) => sendPage(reply, reference, { sendsRequests: true }))
  pageRoute(app, '/docs/signature', (reply) => sendPage(reply, signature))
  libraryPages(app)
  downloadRoutes(app)
  errorPages(app)

  styleRoute(app)
  const docsStyle = siteFile('docs.css')
  pageRoute(app, '/docs/docs.css', (reply) => sendFile(reply, 'text/css', docsStyle))
  for (const { file, code } of examplePrograms)
    pageRoute(app, `/docs/examples/${file}`, (reply) => sendFile(reply, 'text/plain', code))
  for (const path of scriptPaths()) {
    pageRoute(app, path, async (reply) =>
      sendFile(reply, 'text/javascript', (await browserScripts()).get(path)!),
    )
  }
}

function startContent(html: string): string {
  return withColors(html).replace('<!-- programs -->', programTabs()).replace('<!-- sign -->', signTabs())
}

function siteFile(name: string): string {
  return readFileSync(new URL(`./site/${name}`, import.meta.url), 'utf8')
}
