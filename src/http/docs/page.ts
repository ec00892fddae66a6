/** A page of the docs: its content, which is put into the frame that all pages share. */
type Page = {
  /** The path at which it is served. */
  path: string
  title: string
  /** HTML. Every inserted value has been escaped. */
  content: string
  /** Paths of scripts. */
  scripts?: string[]
}

const navigation = [
  { path: '/docs', name: 'Start' },
  { path: '/docs/reference', name: 'Reference' },
  { path: '/docs/signature', name: 'Signature debugger' },
  { path: '/docs/errors', name: 'Errors' },
]

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='7' fill='%230b6e4f'/%3E%3Cpath d='M4.5 8.5l2.5 2.5 4.5-5' fill='none' stroke='white' stroke-width='2'/%3E%3C/svg%3E"

export function framed({ path, title, content, scripts = [] }: Page): string {
  const links = navigation.map((link) => {
    const isAbove = link.path !== '/docs' && path.startsWith(`${link.path}/`)
    const current = link.path === path ? ' aria-current="page"' : isAbove ? ' aria-current="true"' : ''
    return `<li><a href="${link.path}"${current}>${link.name}</a></li>`
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Partner Credit</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="/docs/style.css">
${scripts.map((script) => `<script type="module" src="${script}"></script>`).join('\n')}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="name" href="/docs">Partner Credit</a>
<nav aria-label="Pages"><ul>${links.join('')}</ul></nav>
</header>
<main id="content">
${content}
</main>
</body>
</html>
`
}

export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
