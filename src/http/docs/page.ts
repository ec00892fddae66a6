import { frame, type Page, type Site } from '../../wire/pages/frame.ts'

const site: Site = {
  home: '/docs',
  navigation: [
    { path: '/docs', name: 'Start' },
    { path: '/docs/reference', name: 'Reference' },
    { path: '/docs/libraries', name: 'Libraries' },
    { path: '/docs/signature', name: 'Debugger' },
    { path: '/docs/errors', name: 'Errors' },
  ],
  footer: `<p><strong>Partner Credit</strong><br>Each order credited once, durably, within the caps.</p>
<nav aria-label="More"><ul>
<li><a href="/docs">Your first award</a></li>
<li><a href="/docs/reference">Reference</a></li>
<li><a href="/docs/errors">Errors</a></li>
<li><a href="/docs/signature">Signature debugger</a></li>
</ul><ul>
<li><a href="/docs/libraries">Libraries and examples</a></li>
<li><a href="/docs/libraries/sdk">SDK</a></li>
<li><a href="/docs/libraries/cli">Command line</a></li>
<li><a href="/openapi.json">OpenAPI document</a></li>
</ul></nav>`,
}

const script = (name: string) => `/docs/scripts/http/docs/site/${name}.ts`

export type DocsPage = Omit<Page, 'scripts' | 'styles'> & {
  /** Names of scripts in site/, besides the one that every page has. */
  scripts?: string[]
}

/** A page of the docs in the frame that they share. */
export function framed({ scripts = [], ...page }: DocsPage): string {
  return frame(site, { ...page, styles: ['/docs/docs.css'], scripts: ['page', ...scripts].map(script) })
}
