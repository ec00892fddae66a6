import { h } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { type Content, html } from '../html.ts'

type DialogProps = {
  title: Content
  /** Escape, or the button that cancels. */
  onClose(): void
  content: Content
  actions?: Content
  /** Makes it a form. */
  onSubmit?: () => void
}

/** A modal dialog. The browser keeps the focus inside, and gives it back to its opener. */
export function dialog(props: DialogProps) {
  return h(Dialog, props)
}

function Dialog({ title, onClose, content, actions, onSubmit }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const opener = document.activeElement
    element.current!.showModal()
    return () => {
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  /** A browser may close a dialog at the second Escape, whatever we say: what has to stay is opened again. */
  function onClosed(): void {
    onClose()
    setTimeout(() => {
      if (element.current !== null && !element.current.open) element.current.showModal()
    })
  }
  const inside = html`<h2 id=${id}>${title}</h2>
    ${content}
    ${actions !== undefined && html`<div class="acts">${actions}</div>`}`
  return html`<dialog
    ref=${element}
    class="dialog"
    aria-labelledby=${id}
    onCancel=${(event: Event) => {
      event.preventDefault()
      onClose()
    }}
    onClose=${onClosed}
  >
    ${
      onSubmit === undefined
        ? inside
        : html`<form
            onSubmit=${(event: Event) => {
              event.preventDefault()
              onSubmit()
            }}
          >
            ${inside}
          </form>`
    }
  </dialog>`
}
