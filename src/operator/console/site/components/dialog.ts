import { h } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { type Content, html } from '../html.ts'

type DialogProps = {
  title: Content
  /** Escape, or the button that cancels. */
  onClose(): void
  content: Content
  actions: Content
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
  return html`<dialog
    ref=${element}
    class="dialog"
    aria-labelledby=${id}
    onCancel=${(event: Event) => {
      event.preventDefault()
      onClose()
    }}
  >
    <form
      onSubmit=${(event: Event) => {
        event.preventDefault()
        onSubmit?.()
      }}
    >
      <h2 id=${id}>${title}</h2>
      ${content}
      <div class="acts">${actions}</div>
    </form>
  </dialog>`
}
