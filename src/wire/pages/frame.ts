import { escaped } from './escaped.ts'

/** What all pages of one listener share. */
export type Site = {
  home: string
  navigation: { path: string; name: string }[]
  /** HTML. */
  footer: string
}

/** A page: its content, which is put into the frame that all pages share. */
export type Page = {
  /** The path at which it is served. */
  path: string
  title: string
  /** HTML. Every inserted value has been escaped. */
  content: string
  /** Paths of scripts. */
  scripts?: string[]
  /** Paths of stylesheets, after the shared one. */
  styles?: string[]
}

export const sharedStyle = '/docs/style.css'

export const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='7' fill='%230b6e4f'/%3E%3Cpath d='M4.5 8.5l2.5 2.5 4.5-5' fill='none' stroke='white' stroke-width='2'/%3E%3C/svg%3E"
const mark =
  '<svg viewBox="0 0 16 16" aria-hidden="true"><circle cx="8" cy="8" r="8"/><path d="M4.5 8.5l2.5 2.5 4.5-5"/></svg>'

export function frame(
  { home, navigation, footer }: Site,
  { path, title, content, scripts = [], styles = [] }: Page,
): string {
  const links = navigation.map((link) => {
    const isAbove = link.path !== home && path.startsWith(`${link.path}/`)
    const current = link.path === path ? ' aria-current="page"' : isAbove ? ' aria-current="true"' : ''
    return `<li><a href="${link.path}"${current}>${link.name}</a></li>`
  })
  const contents = contentsOf(content)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Partner Credit</title>
<link rel="icon" href="${icon}">
${[sharedStyle, ...styles].map((style) => `<link rel="stylesheet" href="${style}">`).join('\n')}
${scripts.map((script) => `<script type="module" src="${script}"></script>`).join('\n')}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<div class="bar">
<a class="name" href="${home}">${mark}<span>Partner Credit</span></a>
<nav aria-label="Pages"><ul>${links.join('')}</ul></nav>
</div>
</header>
<div class="layout${contents === '' ? '' : ' with-contents'}">
${contents}
<main id="content">
${content}
</main>
</div>
<footer>
<div class="bar">
${footer}
</div>
</footer>
</body>
</html>
`
}

const entriesMin = 3

/** The list of contents of a long page, from its headings that have an id. */
function contentsOf(content: string): string {
  const headings = [...content.matchAll(/<h([23]) id="([^"]+)"[^>]*>(.*?)<\/h\1>/gs)]
  if (headings.length < entriesMin) return ''
  const entries = headings.map(([, level, id, html]) => {
    const text = html!.replace(/<\/?a\b[^>]*>/g, '')
    return `<li class="level-${level}"><a href="#${id}">${text}</a></li>`
  })
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${entries.join('')}</ul></nav>`
}
