import { ApiProblem } from './problem.ts'

/**
 * A place in a list, opaque to its users: the list's name and the values by which the next page begins. It grants nothing,
 * because every page needs the same permission, so it needs no key.
 */
export function writeCursor(list: string, place: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify([list, ...place])).toString('base64url')
}

/** Throws if it is damaged or of another list. Null: the first page. */
export function readCursor<const K extends readonly ('string' | 'number')[]>(
  list: string,
  cursor: string | undefined,
  kinds: K,
): { -readonly [I in keyof K]: K[I] extends 'string' ? string : number } | null {
  if (cursor === undefined) return null
  const [name, ...place] = parsed(cursor)
  const isWhole =
    name === list &&
    place.length === kinds.length &&
    kinds.every((kind, at) => typeof place[at] === kind && (kind !== 'number' || isCount(place[at])))
  if (!isWhole) throw notOfThisList()
  return place as never
}

export function notOfThisList(): ApiProblem {
  return new ApiProblem('INVALID_REQUEST', 'the cursor is not one of this list: start without it')
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function parsed(cursor: string): unknown[] {
  try {
    const value = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
