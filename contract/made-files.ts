import { openApiDocument } from '../src/http/contract/openapi.ts'

/** The files of this folder that are made from the code: path and text. */
export function madeFiles(): [path: string, text: string][] {
  return [['openapi.json', `${JSON.stringify(openApiDocument(), null, 2)}\n`]]
}
