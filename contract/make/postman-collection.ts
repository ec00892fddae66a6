import { readFileSync } from 'node:fs'
import { type CollectionRequest, secretVariables, variables } from './requests.ts'

const script = readFileSync(new URL('sign-in-postman.js', import.meta.url), 'utf8')

/** A collection in Postman's format, version 2.1. */
export function postmanCollection(requests: CollectionRequest[]): unknown {
  return {
    info: {
      name: 'Partner Credit',
      description:
        'Fill in the variables of this collection: baseUrl, tenantId, apiKey, signingSecret. Every request is signed as it is sent.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    event: [
      { listen: 'prerequest', script: { type: 'text/javascript', exec: script.trimEnd().split('\n') } },
    ],
    variable: Object.entries(variables).map(([key, value]) => ({
      key,
      value,
      type: secretVariables.includes(key) ? 'secret' : 'string',
    })),
    item: requests.map(({ name, description, method, path, query, body }) => ({
      name,
      request: {
        method,
        description,
        header: body === null ? [] : [{ key: 'Content-Type', value: 'application/json' }],
        url: {
          raw: `{{baseUrl}}${path}${rawQuery(query)}`,
          host: ['{{baseUrl}}'],
          path: path.slice(1).split('/'),
          query: query.map(({ name, value, description, enabled }) => ({
            key: name,
            value,
            description,
            disabled: !enabled,
          })),
        },
        ...(body === null
          ? {}
          : { body: { mode: 'raw', raw: body, options: { raw: { language: 'json' } } } }),
      },
    })),
  }
}

function rawQuery(query: CollectionRequest['query']): string {
  const enabled = query.filter(({ enabled }) => enabled).map(({ name, value }) => `${name}=${value}`)
  return enabled.length === 0 ? '' : `?${enabled.join('&')}`
}
