/** The address bar as the console's only store of what is shown: page, subject and every filter. */
export type Router = {
  url(): URL
  /** Shows another page or another view of it. `replace` leaves no entry in the history. See `typed`. */
  navigate(to: string, how?: { replace?: boolean; typed?: string | null }): void
  /** What was handed over to the page that is shown, because it must not stand in a URL; null: nothing. */
  typed(): string | null
  /** The same page with other filters. Null or '' removes one. */
  withQuery(changes: Record<string, string | null>): string
  /** Calls back after every change. Returns how to stop. */
  watch(onChange: () => void): () => void
  /** While the guard returns false, nothing is left: it has told the person why. Returns how to remove it. */
  guard(mayLeave: () => boolean): () => void
}

export function createRouter(): Router {
  const watchers = new Set<() => void>()
  const guards = new Set<() => boolean>()
  let shown = location.href
  let handedOver: string | null = null

  const mayLeave = () => [...guards].every((guard) => guard())
  function changed(): void {
    shown = location.href
    for (const watcher of [...watchers]) watcher()
  }
  const navigate: Router['navigate'] = (to, { replace = false, typed = null } = {}) => {
    const isSame = new URL(to, shown).href === shown && typed === handedOver
    if (isSame || !mayLeave()) return
    history[replace ? 'replaceState' : 'pushState'](null, '', to)
    handedOver = typed
    changed()
  }
  addEventListener('popstate', () => {
    if (!mayLeave()) return history.pushState(null, '', shown)
    handedOver = null
    changed()
  })
  document.addEventListener('click', (event) => {
    const to = linkWithin(event)
    if (to === null) return
    event.preventDefault()
    navigate(to)
  })
  return {
    url: () => new URL(shown),
    navigate,
    typed: () => handedOver,
    withQuery(changes) {
      const url = new URL(shown)
      for (const [name, value] of Object.entries(changes)) {
        if (value === null || value === '') url.searchParams.delete(name)
        else url.searchParams.set(name, value)
      }
      return `${url.pathname}${url.search}`
    },
    watch(onChange) {
      watchers.add(onChange)
      return () => watchers.delete(onChange)
    },
    guard(may) {
      guards.add(may)
      return () => guards.delete(may)
    },
  }
}

/** Where a plain click on a link of the console leads; null if the browser is to handle it. */
function linkWithin(event: MouseEvent): string | null {
  const { button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented } = event
  if (defaultPrevented || button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return null
  const link = (event.target as Element).closest('a[href]')
  if (!(link instanceof HTMLAnchorElement) || link.target !== '' || link.hasAttribute('download')) return null
  if (link.origin !== location.origin || link.dataset.outside !== undefined) return null
  // A place on the same page: the browser scrolls to it.
  if (link.hash !== '' && link.pathname === location.pathname && link.search === location.search) return null
  return `${link.pathname}${link.search}${link.hash}`
}
