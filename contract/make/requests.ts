// biome-ignore lint/suspicious/noExplicitAny: the document is read as data
type Node = any

/** A request as a collection shows it. Both tools write variables as `{{…}}`. */
export type CollectionRequest = {
  name: string
  description: string
  method: string
  path: string
  query: { name: string; value: string; description: string; enabled: boolean }[]
  /** The text to send, or null. */
  body: string | null
}

/** The variables that the user fills in. The two secrets are empty here. */
export const variables = { baseUrl: 'http://127.0.0.1:8080', tenantId: 't1', apiKey: '', signingSecret: '' }
export const secretVariables = ['apiKey', 'signingSecret']

export function requestsOf(document: Node): CollectionRequest[] {
  return Object.entries<Node>(document.paths).flatMap(([path, operations]) =>
    Object.entries<Node>(operations).map(([method, { summary, description, parameters, requestBody }]) => ({
      name: summary,
      description,
      method: method.toUpperCase(),
      path,
      query: parameters
        .filter((parameter: Node) => parameter.in === 'query')
        .map(({ name, required, description, schema }: Node) => ({
          name,
          value: shown(name, schema.examples[0]),
          description,
          enabled: required,
        })),
      body: requestBody === undefined ? null : bodyOf(requestBody.content['application/json'].example),
    })),
  )
}

function bodyOf(example: Record<string, unknown>): string {
  const fields = Object.entries(example).map(([name, value]) => [
    name,
    name in variables ? shown(name, '') : value,
  ])
  return JSON.stringify(Object.fromEntries(fields), null, 2)
}

function shown(name: string, example: unknown): string {
  return name in variables ? `{{${name}}}` : String(example)
}
