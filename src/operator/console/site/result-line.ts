import { useEffect, useRef, useState } from 'preact/hooks'
import { html } from './html.ts'
import type { Router } from './router.ts'

/** What the last change did, in a sentence, and on which page. */
type Result = { text: string; path: string; number: number }

/** Says what a change did. It stays until the next one, until it is dismissed, or until another page is shown. */
export type Tell = (text: string) => void

export function useResult(router: Router): { result: Result | null; tell: Tell; forget(): void } {
  const [result, setResult] = useState<Result | null>(null)
  const count = useRef(0)
  // Gone for good: coming back to the page later, nobody is told of an old change again.
  useEffect(
    () => router.watch(() => setResult((before) => (before?.path === router.url().pathname ? before : null))),
    [router],
  )
  return {
    result,
    tell: (text) => setResult({ text, path: router.url().pathname, number: ++count.current }),
    forget: () => setResult(null),
  }
}

/**
 * The line at the top of the window, wherever somebody has scrolled to. It takes room of its own and moves the page down, so
 * that it hides nothing that could be seen before. Its place is always there, because screen readers announce what appears
 * in a place that they know.
 */
export function ResultLine({
  result,
  path,
  onClose,
}: {
  result: Result | null
  path: string
  onClose(): void
}) {
  const line = useRef<HTMLDivElement>(null)
  const shown = result?.path === path ? result : null
  useEffect(() => (shown === null ? undefined : keepFocus(() => line.current)), [shown?.number])
  const close = () => {
    document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
    onClose()
  }
  return html`<div class="result" role="status">
    ${
      shown !== null &&
      html`<div class="note ok" key=${shown.number} tabindex="-1" ref=${line}>
        <bdi>${shown.text}</bdi>
        <button type="button" class="sm" onClick=${close}>Dismiss<span class="vh"> this message</span></button>
      </div>`
    }
  </div>`
}

/**
 * A change may take away what has the focus: its button is gone, or disabled. The focus then goes to the result, and not back
 * to the start of the page. As soon as somebody presses a key or a button, it is theirs again. Returns how to stop.
 */
function keepFocus(result: () => HTMLElement | null): () => void {
  const look = () => {
    const active = document.activeElement
    if (active === null || active === document.body || active.matches(':disabled'))
      result()?.focus({ preventScroll: true })
  }
  const soon = setTimeout(look)
  const observer = new MutationObserver(look)
  observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ['disabled'] })
  const stop = () => {
    clearTimeout(soon)
    observer.disconnect()
    removeEventListener('keydown', stop)
    removeEventListener('pointerdown', stop)
  }
  addEventListener('keydown', stop)
  addEventListener('pointerdown', stop)
  return stop
}
