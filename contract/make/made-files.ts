import { openApiDocument } from '../../src/http/contract/openapi.ts'
import { brunoCollection } from './bruno-collection.ts'
import { partnerErrorsPage } from './partner-errors.ts'
import { postmanCollection } from './postman-collection.ts'
import { requestsOf } from './requests.ts'
import { sdkErrorFiles } from './sdk-errors.ts'
import { sdkTypes } from './sdk-types.ts'

/** Every file that is made from the code: the path from the project's root, and the text. */
export function madeFiles(): [path: string, text: string][] {
  const document = openApiDocument()
  const requests = requestsOf(document)
  return [
    ['contract/openapi.json', json(document)],
    ['contract/collections/partner-credit.postman_collection.json', json(postmanCollection(requests))],
    ...brunoCollection(requests).map(([path, text]): [string, string] => [
      `contract/collections/bruno/${path}`,
      text,
    ]),
    partnerErrorsPage(),
    ...sdkErrorFiles(),
    sdkTypes(),
  ]
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
