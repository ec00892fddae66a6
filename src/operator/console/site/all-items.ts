import type { Api } from './api-client.ts'

/** All pages of a list. For lists that are sorted here, or chosen from. */
export async function allItems<T>(
  api: Pick<Api, 'get'>,
  path: '/partners' | '/tenants',
  signal: AbortSignal,
): Promise<T[]> {
  const items: T[] = []
  let cursor: string | null = null
  do {
    const page: { items: T[]; nextCursor: string | null } = await api.get(
      `${path}?limit=200${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      signal,
    )
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== null)
  return items
}
