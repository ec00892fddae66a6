import { fromThread } from '../../wire/pages/from-thread.ts'
import { madeOnce } from '../../wire/pages/made-once.ts'
import { type ProblemCode, problemCodes } from '../../wire/problems/catalog.ts'
import { examplePath, examplePrograms } from './example-programs.ts'

/** A page of the docs, or a file beside them, as it is served. */
export type MadeFile = {
  type: 'text/html' | 'text/css' | 'text/plain'
  text: string
  sendsRequests: boolean
  /** What others than browsers get. */
  plain: string | null
}

export const page = (text: string): MadeFile => ({
  type: 'text/html',
  text,
  sendsRequests: false,
  plain: null,
})

export const errorPath = (code: ProblemCode) => `/docs/errors/${code}`

/** Known without making them: a server makes them on the first request, and not at its start. */
export function madePaths(): string[] {
  return [
    '/docs',
    '/docs/reference',
    '/docs/signature',
    '/docs/libraries',
    '/docs/libraries/sdk',
    '/docs/libraries/cli',
    '/docs/errors',
    ...problemCodes.map(errorPath),
    '/docs/docs.css',
    ...examplePrograms.map(examplePath),
  ]
}

/** The files by their paths; made on the first request. */
export const madeFiles = madeOnce(() =>
  fromThread<ReadonlyMap<string, MadeFile>>(new URL('./make-files.ts', import.meta.url)),
)
