import { icon } from '../../wire/pages/frame.ts'
import { modulePaths, sitePath } from './files.ts'

/** Every page of the console is the same document: its script shows what the path names. */
const pages =
  /^\/(?:partners(?:\/[^/]+)?|find|awards\/[^/]+|refusals(?:\/[^/]+)?|users\/[^/]+|reports|audit|ledger|operators|account|sign-in)?$/

/** Null if the console has no page at this path. */
export function consolePage(path: string): string | null {
  return pages.test(path) ? consoleDocument : null
}

/** The theme is set by a script of its own before anything is shown, so that the page never flashes. */
const consoleDocument = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Partner Credit console</title>
<link rel="icon" href="${icon}">
<script src="${sitePath('theme-first.ts')}"></script>
<link rel="stylesheet" href="${sitePath('console.css')}">
${modulePaths()
  .map((path) => `<link rel="modulepreload" href="${path}">`)
  .join('\n')}
<script type="module" src="${sitePath('main.ts')}"></script>
</head>
<body>
<div id="console"></div>
<noscript><p>The console needs JavaScript. Everything that it shows is also on the command line:
<code>partner-credit --help</code>. Programs find <a href="/readyz">/readyz</a>, <a href="/livez">/livez</a> and
<a href="/metrics">/metrics</a> here.</p></noscript>
</body>
</html>
`
