import { escaped } from '../../../wire/pages/escaped.ts'
import type { Content, Response } from './document.ts'
import { fieldsOf, fieldsToRead } from './fields.ts'
import { code, inline, json } from './prose.ts'

/** Every response of an operation. Successful ones are open; an error is one line until it is expanded. */
export function shownResponses(responses: Record<string, Response>): string {
  return Object.entries(responses)
    .map(([status, response]) => shownResponse(status, response))
    .join('\n')
}

function shownResponse(status: string, { description, headers, content }: Response): string {
  const isGood = status.startsWith('2')
  const headerFields = Object.entries(headers).map(([name, header]) => ({ name, ...header }))
  const codes = Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples))
  const bodies = Object.entries(content).map(([type, body]) => (isGood ? goodBody(type, body) : errors(body)))
  return `<details class="response"${isGood ? ' open' : ''}>
<summary><b class="status ${isGood ? 'right' : 'wrong'}">${status === 'default' ? 'other' : status}</b>
<span>${inline(description)}
${codes.length > 0 ? `<span class="codes">${codes.map(code).join(', ')}</span>` : ''}</span></summary>
${bodies.join('\n')}
<h4>Headers</h4>
${fieldsToRead(headerFields)}
</details>`
}

function goodBody(type: string, { schema, example }: Content): string {
  return `<h4>Body: ${code(type)}</h4>
${json(example)}
${fieldsToRead(fieldsOf(schema))}`
}

/** The members are explained once for all operations, in the section about errors. */
function errors({ examples = {} }: Content): string {
  return Object.entries(examples)
    .map(
      ([name, { value }]) =>
        `<h4><a href="/docs/errors/${escaped(name)}">${escaped(name)}</a></h4>\n${json(value)}`,
    )
    .join('\n')
}
