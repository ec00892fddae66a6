import { fromThread } from './from-thread.ts'

/** The JavaScript of TypeScript files. */
export function withoutTypes(files: URL[]): Promise<string[]> {
  return fromThread(
    new URL('./strip-types.ts', import.meta.url),
    files.map(({ href }) => href),
  )
}
