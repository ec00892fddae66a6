import type { FastifyInstance } from 'fastify'
import { type ProblemCode, problems } from '../../wire/problem.ts'
import { errorNotes } from './error-notes.ts'
import { escaped, framed } from './page.ts'
import { sendPage } from './send-page.ts'

/** Where the `type` of every problem points: what it means and what to do. Browsers get a page, others plain text. */
export function errorPages(app: FastifyInstance): void {
  const codes = Object.keys(problems) as ProblemCode[]
  const index = framed({ path: '/docs/errors', title: 'Errors', content: listOf(codes) })
  app.get('/docs/errors', async (_, reply) => sendPage(reply, index))
  for (const code of codes) {
    const { status, title, advice } = problems[code]
    const path = `/docs/errors/${code}`
    const text = `${code} (HTTP ${status})\n\n${title}.\n\n${advice}\n`
    const page = framed({ path, title: code, content: contentOf(code) })
    app.get(path, async ({ raw }, reply) => {
      reply.header('vary', 'accept')
      if (raw.headers.accept?.includes('text/html')) return sendPage(reply, page)
      return reply.type('text/plain; charset=utf-8').send(text)
    })
  }
}

function listOf(codes: ProblemCode[]): string {
  const rows = codes.map((code) => {
    const { status, title } = problems[code]
    return `<tr><td>${status}</td><td><a href="/docs/errors/${code}">${code}</a><br>${escaped(title)}</td></tr>`
  })
  return `<h1>Errors</h1>
<p>Every error is <code>application/problem+json</code> (RFC 9457). Programs look at <code>code</code>; the texts
may be reworded. No 4xx records anything or uses up an orderId.</p>
<table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th></tr></thead>
<tbody>${rows.join('')}</tbody>
</table>
<p>All of them have <code>type</code> (a link to the page of the code), <code>title</code>, <code>status</code>,
<code>code</code>, <code>detail</code> (one sentence about this case) and <code>requestId</code>, which is also the
header <code>X-Request-Id</code>: tell it to the operator when you ask for help.</p>`
}

function contentOf(code: ProblemCode): string {
  const { status, title, advice } = problems[code]
  const { retry, members } = errorNotes[code]
  const rows = members.map(
    ([name, meaning]) => `<tr><td><code>${escaped(name)}</code></td><td>${escaped(meaning)}</td></tr>`,
  )
  const table = `<h2>What comes with it</h2>
<table>
<thead><tr><th scope="col">Member</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows.join('')}</tbody>
</table>`
  const tool =
    code === 'INVALID_SIGNATURE'
      ? '<p class="action"><a href="/docs/signature">Find the mistake with the signature debugger</a></p>'
      : ''
  return `<p class="above">HTTP ${status}</p>
<h1 class="code">${code}</h1>
<p class="lead">${escaped(title)}.</p>
<p>${escaped(advice)}</p>
${tool}
<h2>Try again?</h2>
<p>${escaped(retry)}</p>
${rows.length > 0 ? table : ''}
<p><a href="/docs/errors">All errors</a></p>`
}
