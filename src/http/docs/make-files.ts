import { readFileSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { openApiDocument } from '../contract/openapi.ts'
import { withColors } from './code-block.ts'
import { errorPages } from './error-pages.ts'
import { examplePath, examplePrograms } from './example-programs.ts'
import { codeOf, programTabs, signTabs } from './language-tabs.ts'
import { libraryPages } from './libraries/pages.ts'
import { type MadeFile, page } from './made-files.ts'
import { type DocsPage, framed } from './page.ts'
import { referenceContent } from './reference/content.ts'

// The worker of made-files.ts: posts the pages of the docs and the files beside them, and ends.
const programs = programTabs()
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
  ...libraryPages(programs),
]
const files: [path: string, MadeFile][] = [
  ...pages.map(framedFile),
  ...errorPages(),
  ['/docs/docs.css', { ...page(siteFile('docs.css')), type: 'text/css' }],
  ...examplePrograms.map((program): [string, MadeFile] => [
    examplePath(program),
    { ...page(codeOf(program)), type: 'text/plain' },
  ]),
]
parentPort!.postMessage(new Map(files))

function framedFile(made: DocsPage): [path: string, MadeFile] {
  return [made.path, { ...page(framed(made)), sendsRequests: made.path === '/docs/reference' }]
}

function startContent(html: string): string {
  return withColors(html).replace('<!-- programs -->', programs).replace('<!-- sign -->', signTabs())
}

function siteFile(name: string): string {
  return readFileSync(new URL(`./site/${name}`, import.meta.url), 'utf8')
}
