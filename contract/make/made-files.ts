import { openApiDocument } from '../../src/http/contract/openapi.ts'
import { brunoCollection } from './bruno-collection.ts'
import { postmanCollection } from './postman-collection.ts'
import { requestsOf } from './requests.ts'

/** The files of the contract that are made from the code: the path in the contract's folder, and the text. */
export function madeFiles(): [path: string, text: string][] {
  const document = openApiDocument()
  const requests = requestsOf(document)
  return [
    ['openapi.json', json(document)],
    ['collections/partner-credit.postman_collection.json', json(postmanCollection(requests))],
    ...brunoCollection(requests).map(([path, text]): [string, string] => [`collections/bruno/${path}`, text]),
  ]
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
