import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { openApiDocument } from '../src/http/contract/openapi.ts'
import { referenceContent } from '../src/http/docs/reference/content.ts'
import { readDocument } from '../src/http/docs/reference/document.ts'
import { send } from './support/client.ts'
import { published, publishedText } from './support/published-contract.ts'
import { startService } from './support/service.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is read as data; a wrong path in it fails the test
type Part = any

describe('the reference on the partner port', async () => {
  const { url } = await startService({ after }, {}, { nodes: 1 })
  const { text: html } = await send(`${url}/docs/reference`)
  const { paths, components } = readDocument(published) as Part
  const operations = Object.entries<Part>(paths).flatMap(([path, methods]) =>
    Object.entries<Part>(methods).map(([method, operation]) => ({ path, method, operation })),
  )

  test('it is made from the document that the service publishes', async () => {
    const { text: served } = await send(`${url}/openapi.json`)
    assert.deepEqual(JSON.parse(served), JSON.parse(publishedText))
    assert.ok(html.includes(referenceContent(published)))
    assert.ok(html.includes('<a href="/openapi.json">'))
  })

  for (const { path, method, operation } of operations) {
    const { operationId, summary, description, parameters, requestBody, responses } = operation
    const section = between(html, `<article aria-labelledby="${operationId}">`, '</article>')
    const [request, answers] = section.split(/<h3 id="[\w-]+">Responses<\/h3>/) as [string, string]

    test(`${method} ${path}: it says what to send, field by field, with every limit`, () => {
      const shown = textOf(request)
      assert.ok(shown.includes(`${method.toUpperCase()} ${path} `))
      for (const text of [summary, description]) assert.ok(shown.includes(plain(text)), text)
      assertField(request, { name: 'X-Api-Key', ...components.securitySchemes.apiKey, type: 'string' })
      for (const { name, description, schema } of parameters) {
        assertField(request, { name, ...schema, description })
      }
      const { schema, example } = requestBody?.content['application/json'] ?? { schema: { properties: {} } }
      for (const [name, field] of Object.entries<Part>(schema.properties)) {
        assertField(request, { name, ...field })
      }
      const named = [...parameters, ...Object.keys(schema.properties).map((name) => ({ name }))]
      for (const { name, required = schema.required?.includes(name) } of named) {
        assert.match(entryOf(request, name), required ? / · <strong>required/ : / · optional/)
      }
      for (const rule of operation['x-rules-beyond-schema'] ?? schema['x-rules-beyond-schema']) {
        assert.ok(shown.includes(plain(rule)), rule)
      }
      if (example !== undefined) assert.ok(shown.includes(plain(JSON.stringify(example, null, 2))))
    })

    test(`${method} ${path}: it has every response, with headers, fields, linked codes and examples`, () => {
      const entries = answers.split('<details class="response"').slice(1)
      assert.equal(entries.length, Object.keys(responses).length)
      for (const [status, { description, headers, content }] of Object.entries<Part>(responses)) {
        const mark = `>${status === 'default' ? 'other' : status}</b>`
        const entry = entries.find((entry) => entry.includes(mark)) ?? ''
        assert.ok(textOf(entry).includes(plain(description)), status)
        for (const [name, { schema, description }] of Object.entries<Part>(headers)) {
          assertField(entry, { name, ...schema, description })
        }
        const [{ schema, example, examples = { '': { value: example } } }] = Object.values<Part>(content)
        for (const [code, { value }] of Object.entries<Part>(examples)) {
          assert.ok(textOf(entry).includes(plain(JSON.stringify(value, null, 2))), `${status} ${code}`)
          if (code !== '') assert.ok(entry.includes(`<a href="/docs/errors/${code}">${code}</a>`))
        }
        if (example !== undefined) assertFields(entry, schema)
      }
    })
  }

  test('every member of every error is explained once, and every code has its link', () => {
    const [, errors] = html.split('<h2 id="error-bodies">') as [string, string]
    const problems = Object.values<Part>(components.schemas).filter(
      ({ properties }) => properties.type?.const,
    )
    assert.ok(problems.length > 10)
    const always = problems[0].required as string[]
    for (const { properties } of problems) {
      const code = properties.code.const
      assert.ok(errors.includes(`<a href="/docs/errors/${code}">${code}</a>`), code)
      for (const [name, { const: _, enum: __, examples: ___, ...field }] of Object.entries<Part>(
        properties,
      )) {
        if (always.includes(name)) assertField(errors, { name, ...field })
        else
          assertFields(between(`${errors}<h3>`, `>${code}</a> adds</h3>`, '<h3>'), {
            properties: { [name]: field },
          })
      }
    }
  })

  test('what is new in the document is on the page, and no text of it is read as HTML', () => {
    const document = structuredClone(openApiDocument()) as Part
    const { post } = document.paths['/v1/ep/webhook']
    const campaign = { type: 'string', maxLength: 77, description: 'A <b>new</b> & bold field' }
    document.components.schemas.AwardRequest.properties.campaign = campaign
    const example = { value: { code: 'BRAND_NEW' } }
    post.responses[418] = {
      ...post.responses[400],
      content: { 'application/problem+json': { schema: {}, examples: { BRAND_NEW: example } } },
    }
    document.paths['/v1/ep/more'] = { post: { ...post, operationId: 'more', summary: 'Do more' } }
    const changed = referenceContent(document)
    assertField(changed, { name: 'campaign', ...campaign })
    assert.ok(!changed.includes('<b>new'))
    assert.match(changed, /418<\/b>.*<a href="\/docs\/errors\/BRAND_NEW">BRAND_NEW<\/a>/s)
    assert.match(changed, /<h2 id="more">Do more<\/h2>\s*<p class="endpoint"><b class="method">POST<\/b>/)
  })
})

function assertFields(html: string, { properties = {} }: Part, prefix = ''): void {
  for (const [name, schema] of Object.entries<Part>(properties)) {
    assertField(html, { name: `${prefix}${name}`, ...schema })
    if (schema.items !== undefined) assertFields(html, schema.items, `${prefix}${name}[].`)
  }
}

/** The line of a field shows everything that is in its schema. An unknown keyword fails. */
function assertField(html: string, { name, ...schema }: Part): void {
  const shown = textOf(entryOf(html, name))
  const { type, allOf = [], items = {}, examples = [], ...said } = schema
  const [example] = type === 'array' ? [] : examples
  const words = [
    ...(type === 'array' ? [items.type, ...(items.enum ?? [])] : [type].flat()),
    ...allOf.map(({ pattern }: Part) => pattern),
    ...(example === undefined ? [] : [typeof example === 'string' ? example : JSON.stringify(example)]),
    ...Object.entries(said)
      .filter(([keyword]) => keyword !== 'in')
      .flatMap(([keyword, value]) => (keyword === 'description' ? plain(String(value)) : value)),
  ]
  for (const word of words) assert.ok(shown.includes(String(word)), `${name}: ${word} in ${shown}`)
}

function entryOf(html: string, name: string): string {
  return between(html, `<dt><code>${name}</code>`, '</div>')
}

function between(text: string, start: string, end: string): string {
  const at = text.indexOf(start)
  assert.notEqual(at, -1, `${start} is there`)
  return text.slice(at, text.indexOf(end, at + start.length))
}

/** What a reader sees: without tags, and with entities decoded. */
function textOf(html: string): string {
  return html
    .replace(/<\/?span[^>]*>/g, '') // colors within code
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
}

/** A text of the document, in the form of textOf. */
function plain(text: string): string {
  return text
    .replace(/`([^`]+)`/g, ' $1 ')
    .replace(/\s+/g, ' ')
    .trim()
}
