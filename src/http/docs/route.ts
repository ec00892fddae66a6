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
import { libraryPages } from './libraries/pages.ts'
import { type DocsPage, framed } from './page.ts'
import { referenceContent } from './reference/content.ts'

type MadePage = { path: string; html: string; sendsRequests: boolean }

/** Made by the first listener of the process and kept: the files behind them do not change while it runs. */
const madePages: MadePage[] = []

/** /docs: pages that load nothing from other hosts and need no build and no key. */
export function docsRoutes(app: FastifyInstance): void {
  if (madePages.length === 0) madePages.push(...makePages())
  for (const { path, html, sendsRequests } of madePages)
    pageRoute(app, path, (reply) => sendPage(reply, html, { sendsRequests }))
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

function makePages(): MadePage[] {
  const pages: DocsPage[] = [
    { path: '/docs', title: 'Your first award', content: startContent(siteFile('start.html')) },
    {
      path: '/docs/reference',
      title: 'Reference',
      content: referenceContent(openApiDocument()),
      scripts: ['try'],
    },
    {
      path: '/docs/signature',
      title: 'Signature debugger',
      content: siteFile('signature.html'),
      scripts: ['signature'],
    },
    ...libraryPages(),
  ]
  return pages.map((page) => ({
    path: page.path,
    html: framed(page),
    sendsRequests: page.path === '/docs/reference',
  }))
}

function startContent(html: string): string {
  return withColors(html).replace('<!-- programs -->', programTabs()).replace('<!-- sign -->', signTabs())
}

function siteFile(name: string): string {
  return readFileSync(new URL(`./site/${name}`, import.meta.url), 'utf8')
}
