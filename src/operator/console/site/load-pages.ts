import { useState } from 'preact/hooks'
import type { ApiProblem } from './api-client.ts'
import { problemNote } from './components/states.ts'
import { useConsole } from './context.ts'
import { type Content, html } from './html.ts'
import { type Loaded, problemOf, useGet } from './load.ts'

/** A list that comes in pages, newest first. Older ones are added when somebody asks for them. */
export type Pages<Page> = {
  /** The first page, and how far it is. */
  first: Loaded<Page>
  /** All pages that are loaded. */
  all: Page[]
  /** Null: there is nothing older. */
  cursor: string | null
  isLoading: boolean
  problem: ApiProblem | null
  loadOlder(): void
}

export function usePages<Page extends { nextCursor: string | null }>(path: string | null): Pages<Page> {
  const { api } = useConsole()
  const first = useGet<Page>(path)
  const [older, setOlder] = useState<Older<Page>>({ ...none, after: null })
  // Of another first page nothing is kept.
  const added = older.after === first.data ? older : { ...none, after: first.data }
  const all = first.data === null ? [] : [first.data, ...added.pages]
  const cursor = all.at(-1)?.nextCursor ?? null

  function loadOlder(): void {
    if (cursor === null || added.isLoading) return
    setOlder({ ...added, isLoading: true, problem: null })
    const query = `cursor=${encodeURIComponent(cursor)}`
    api.get<Page>(`${path}${path!.includes('?') ? '&' : '?'}${query}`).then(
      (page) => setOlder({ ...added, pages: [...added.pages, page], isLoading: false, problem: null }),
      (error: unknown) => setOlder({ ...added, isLoading: false, problem: problemOf(error) }),
    )
  }
  return { first, all, cursor, isLoading: added.isLoading, problem: added.problem, loadOlder }
}

type Older<Page> = { after: Page | null; pages: Page[]; isLoading: boolean; problem: ApiProblem | null }

const none = { pages: [], isLoading: false, problem: null }

/** The button below such a list; nothing if there is nothing older. */
export function olderButton<Page>(pages: Pages<Page>, label: string, isPrimary = false): Content {
  const { cursor, isLoading, problem, loadOlder } = pages
  if (cursor === null) return null
  return html`<div class="stack">
    ${problem !== null && problemNote({ title: 'Older rows could not be loaded.', problem })}
    <button type="button" class=${isPrimary ? 'main' : 'sm'} aria-disabled=${String(isLoading)} onClick=${loadOlder}>
      ${isLoading ? 'Loading' : label}
    </button>
  </div>`
}
