import { readFileSync } from 'node:fs'
import { type CollectionRequest, secretVariables, variables } from './requests.ts'

const script = readFileSync(new URL('sign-in-bruno.js', import.meta.url), 'utf8')

/** A folder in Bruno's own format: the paths in it and their texts. */
export function brunoCollection(requests: CollectionRequest[]): [path: string, text: string][] {
  return [
    [
      'bruno.json',
      `${JSON.stringify({ version: '1', name: 'Partner Credit', type: 'collection' }, null, 2)}\n`,
    ],
    ['collection.bru', block('script:pre-request', script.trimEnd())],
    [
      'environments/Local.bru',
      `${block('vars', plainVariables())}vars:secret [\n${indented(secretVariables.join(',\n'))}\n]\n`,
    ],
    ...requests.map((request, index): [string, string] => [
      `${request.name}.bru`,
      requestText(request, index + 1),
    ]),
  ]
}

function plainVariables(): string {
  return Object.entries(variables)
    .filter(([name]) => !secretVariables.includes(name))
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

function requestText(
  { name, description, method, path, query, body }: CollectionRequest,
  seq: number,
): string {
  const enabled = query.filter(({ enabled }) => enabled).map(({ name, value }) => `${name}=${value}`)
  const url = `{{baseUrl}}${path}${enabled.length === 0 ? '' : `?${enabled.join('&')}`}`
  const parts = [
    block('meta', `name: ${name}\ntype: http\nseq: ${seq}`),
    block(method.toLowerCase(), `url: ${url}\nbody: ${body === null ? 'none' : 'json'}\nauth: none`),
  ]
  if (query.length > 0) {
    const lines = query.map(({ name, value, enabled }) => `${enabled ? '' : '~'}${name}: ${value}`)
    parts.push(block('params:query', lines.join('\n')))
  }
  if (body !== null) parts.push(block('body:json', body))
  return [...parts, block('docs', description)].join('\n')
}

function block(name: string, content: string): string {
  return `${name} {\n${indented(content)}\n}\n`
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ')
}
