import { escaped } from '../../wire/pages/escaped.ts'
import { type ProblemCode, problemCodes, problems } from '../../wire/problems/catalog.ts'
import { protocolStatuses } from '../../wire/problems/protocol-statuses.ts'
import { errorPath, type MadeFile, page } from './made-files.ts'
import { framed } from './page.ts'
import { inline } from './reference/prose.ts'

/** The pages that the `type` of a problem points to, made from the catalog. Browsers get HTML, others plain text. */
export function errorPages(): [path: string, MadeFile][] {
  const index = framed({ path: '/docs/errors', title: 'Errors', content: listOfCodes() })
  return [['/docs/errors', page(index)], ...problemCodes.map(pageOf)]
}

function pageOf(code: ProblemCode): [path: string, MadeFile] {
  const { status, title, advice } = problems[code]
  const path = errorPath(code)
  const plain = `${code} (HTTP ${status})\n\n${title}.\n\n${advice}\n`
  return [path, { ...page(framed({ path, title: code, content: contentOf(code) })), plain }]
}

function listOfCodes(): string {
  const rows = problemCodes.map((code) => {
    const { status, title } = problems[code]
    return `<tr><td>${status}</td><td><a href="${errorPath(code)}">${code}</a><br>${escaped(title)}</td></tr>`
  })
  return `<h1>Errors</h1>
<p>Every error is <code>application/problem+json</code> (RFC 9457). In your program, check <code>code</code>; the
texts may be reworded. A 4xx never records anything or uses up an orderId.</p>
<table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th></tr></thead>
<tbody>${rows.join('')}</tbody>
</table>
<p>Every error has <code>type</code> (a link to the page of the code), <code>title</code>, <code>status</code>,
<code>code</code>, <code>detail</code> (one sentence about this case) and <code>requestId</code>, which is also the
header <code>X-Request-Id</code>. Give it to the operator when you ask for help.</p>`
}

function contentOf(code: ProblemCode): string {
  const { status, title, when, advice, retry, members, headers = {} } = problems[code]
  const tool =
    code === 'INVALID_SIGNATURE'
      ? '<p class="action"><a href="/docs/signature">Find the mistake with the signature debugger</a></p>'
      : ''
  return `<p class="above">HTTP ${status}</p>
<h1 class="code">${code}</h1>
<p class="lead">${escaped(title)}.</p>
<p>${escaped(when)}</p>
<h2>What to do</h2>
<p>${escaped(advice)}</p>
${tool}
<h2>Retry?</h2>
<p>${escaped(retry)}</p>
${meanings('Members', 'Member', descriptionsOf(members))}
${meanings('Headers', 'Header', Object.entries(headers))}
${code === 'INVALID_REQUEST' ? otherStatuses() : ''}
<p><a href="/docs/errors">All errors</a></p>`
}

function descriptionsOf(members: Record<string, { description: string }>): [string, string][] {
  return Object.entries(members).map(([name, { description }]) => [name, description])
}

function meanings(title: string, column: string, rows: [name: string, meaning: string][]): string {
  if (rows.length === 0) return ''
  return `<h2>${title}</h2>
<table>
<thead><tr><th scope="col">${column}</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows.map(([name, meaning]) => `<tr><td><code>${escaped(name)}</code></td><td>${escaped(meaning)}</td></tr>`).join('')}</tbody>
</table>`
}

/** INVALID_REQUEST is also the code of what HTTP itself refuses. */
function otherStatuses(): string {
  const rows = Object.entries(protocolStatuses).map(([status, { when, retry, ...rest }]) => {
    const headers = 'headers' in rest ? Object.entries(rest.headers) : []
    const header = headers.map(([name, meaning]) => ` Header <code>${name}</code>: ${escaped(meaning)}`)
    return `<tr><td>${status}</td><td>${inline(when)}${header.join('')}</td><td>${escaped(retry)}</td></tr>`
  })
  return `<h2>Other statuses</h2>
<table>
<thead><tr><th scope="col"><code>status</code></th><th scope="col">When</th><th scope="col">Retry?</th></tr></thead>
<tbody>${rows.join('')}</tbody>
</table>`
}
