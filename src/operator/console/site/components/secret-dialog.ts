import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useConsole } from '../context.ts'
import { type Content, html } from '../html.ts'
import { copyBlock } from './copy-block.ts'
import { dialog } from './dialog.ts'
import { note } from './note.ts'

type SecretDialogProps = {
  title: Content
  /** The secrets as the receiver needs them, one per line. They are never in a URL, in storage or in the title. */
  text: string
  /** What to do with them. */
  advice: Content
  ifLost: string
  onClose(): void
}

/** Shows a secret, once. Whoever leaves before copying it is asked. */
export function secretDialog(props: SecretDialogProps) {
  return h(SecretDialog, props)
}

function SecretDialog({ title, text, advice, ifLost, onClose }: SecretDialogProps) {
  const { router } = useConsole()
  const [isCopied, setCopied] = useState(false)
  const [isAsking, setAsking] = useState(false)
  useEffect(() => {
    if (isCopied) return
    const onUnload = (event: Event) => event.preventDefault()
    addEventListener('beforeunload', onUnload)
    const removeGuard = router.guard(() => {
      setAsking(true)
      return false
    })
    return () => {
      removeEventListener('beforeunload', onUnload)
      removeGuard()
    }
  }, [isCopied])
  return dialog({
    title,
    onClose: () => (isCopied ? onClose() : setAsking(true)),
    onSubmit: () => (isCopied ? onClose() : setAsking(true)),
    content: html`
      ${note({ kind: 'warning', title: 'Copy it now.' }, `The service cannot show it again. ${ifLost}`)}
      <div class="field">
        ${copyBlock({ text, label: 'Copy', isPrimary: true, onCopied: () => setCopied(true) })}
      </div>
      <p class="hint">${advice}</p>
      ${
        isAsking &&
        !isCopied &&
        note(
          {
            kind: 'error',
            title: 'You have not copied the secret.',
            actions: html`<button type="button" class="danger" onClick=${onClose}>Close without copying</button>`,
          },
          'It will be lost.',
        )
      }
    `,
    actions: html`<button>Done</button>`,
  })
}
