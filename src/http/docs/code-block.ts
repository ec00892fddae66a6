import { escaped } from '../../wire/pages/escaped.ts'
import { tokensOf } from './site/tokens.ts'

/** The addresses that examples are written for. In a browser they become the one that the page came from. */
const exampleOrigins = /http:\/\/127\.0\.0\.1:8080|https:\/\/credit\.example\.com/g

/** Code with its colors, made here, so that it has them without scripts, too. */
export function codeBlock(code: string, language: string, kind = language): string {
  const html = tokensOf(code, language)
    .map(({ kind, text }) =>
      kind === null ? escaped(text) : `<span class="t-${kind}">${escaped(text)}</span>`,
    )
    .join('')
  return `<pre class="${kind}">${html.replace(exampleOrigins, '<span class="base-url">$&</span>')}</pre>`
}

/** Colors the blocks of a page that is written by hand, and puts JSON into lines. */
export function withColors(html: string): string {
  return html.replace(/<pre class="(\w+)">(.*?)<\/pre>/gs, (_, kind: string, content: string) => {
    const code = textOf(content)
    if (kind !== 'text') return codeBlock(code, 'sh', kind)
    return code.startsWith('{') ? codeBlock(inLines(code), 'json', kind) : codeBlock(code, 'text', kind)
  })
}

function inLines(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2)
}

function textOf(html: string): string {
  return html
    .replace(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}
