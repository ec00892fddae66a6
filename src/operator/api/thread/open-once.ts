/** The first call opens it. What failed is tried again by the next. */
export function openOnce<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | null = null
  return () => {
    opened ??= open().catch((error) => {
      opened = null
      throw error
    })
    return opened
  }
}
