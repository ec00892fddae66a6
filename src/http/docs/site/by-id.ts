/** The element of the page with this id: that it is there, and what it is, the page's own HTML decides. */
export function byId<T extends HTMLElement>(id: string, kind: { new (): T }): T {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`the page has no ${id}`)
  return found
}
