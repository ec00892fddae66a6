import type { Document, Operation } from './document.ts'
import { fieldsOf, fieldsToSend } from './fields.ts'
import { code, inline, json, prose, rulesBeyond } from './prose.ts'
import { shownResponses } from './responses.ts'
import { tryForm } from './try-form.ts'

/** One operation: its purpose, the request, a form to send it, the responses. */
export function shownOperation(
  method: string,
  path: string,
  operation: Operation,
  { components }: Document,
): string {
  const { operationId, summary, description, parameters, responses } = operation
  const keys = Object.values(components.securitySchemes).map(({ name, description }) => {
    return { name, description, required: true, schema: { type: 'string' } }
  })
  const query = parameters.filter((parameter) => parameter.in === 'query')
  const headers = parameters.filter((parameter) => parameter.in === 'header')
  return `<article aria-labelledby="${operationId}">
<h2 id="${operationId}">${inline(summary)}</h2>
<p class="endpoint"><b class="method">${method.toUpperCase()}</b> ${code(path)}</p>
${prose(description)}
<h3 id="${operationId}-headers">Headers</h3>
${fieldsToSend([...keys, ...headers])}
${query.length > 0 ? `<h3 id="${operationId}-query">Query</h3>\n${fieldsToSend(query)}` : ''}
${rulesBeyond(operation['x-rules-beyond-schema'])}
${requestBody(operation)}
${tryForm(method, path, operation)}
<h3 id="${operationId}-responses">Responses</h3>
${shownResponses(responses)}
</article>`
}

function requestBody({ operationId, requestBody }: Operation): string {
  return Object.entries(requestBody?.content ?? {})
    .map(([type, { schema, example }]) => {
      const isClosed = schema.additionalProperties === false
      return `<h3 id="${operationId}-request-body">Body</h3>
<p>${code(type)}</p>
${json(example)}
${fieldsToSend(fieldsOf(schema))}
${isClosed ? '<p>Any other field is refused.</p>' : ''}
${rulesBeyond(schema['x-rules-beyond-schema'] as string[] | undefined)}`
    })
    .join('\n')
}
