import { h } from 'preact'
import { useState } from 'preact/hooks'
import type { ApiProblem } from '../api-client.ts'
import { type Content, html } from '../html.ts'
import { problemOf } from '../load.ts'
import { dialog } from './dialog.ts'
import { textField } from './field.ts'
import { problemNote } from './states.ts'

type ActionDialogProps = {
  title: Content
  /** What will happen, one sentence each. */
  consequences: Content[]
  /** Further fields, above the reason. */
  fields?: Content
  /** The action and its object: "Suspend partner". */
  button: string
  isDestructive?: boolean
  /** Whether the further fields are filled in. */
  isComplete?: boolean
  /** Without a reason the button stays disabled. It is stored in the audit. */
  run(reason: string): Promise<void>
  onClose(): void
}

/** Asks before a change: the consequences, a reason, and a button that names the action. */
export function actionDialog(props: ActionDialogProps) {
  return h(ActionDialog, props)
}

function ActionDialog(props: ActionDialogProps) {
  const {
    title,
    consequences,
    fields,
    button,
    isDestructive = false,
    isComplete = true,
    run,
    onClose,
  } = props
  const [reason, setReason] = useState('')
  const [isRunning, setRunning] = useState(false)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const isReady = reason.trim() !== '' && isComplete
  async function submit() {
    if (!isReady || isRunning) return
    setRunning(true)
    setProblem(null)
    try {
      await run(reason.trim())
    } catch (error) {
      setProblem(problemOf(error))
      setRunning(false)
    }
  }
  return dialog({
    title,
    onClose,
    onSubmit: submit,
    content: html`
      ${consequences.length > 0 && html`<ul>${consequences.map((text) => html`<li>${text}</li>`)}</ul>`}
      ${problem !== null && problemNote({ title: `${button}: that failed.`, problem })}
      ${fields}
      ${reasonField({ value: reason, onInput: setReason })}
    `,
    actions: html`
      <button type="button" onClick=${onClose}>Cancel</button>
      <button class=${isDestructive ? 'dangerfill' : 'main'} disabled=${!isReady} aria-disabled=${String(isRunning)}>
        ${isRunning ? 'Working' : button}
      </button>
    `,
  })
}

/** Why something is changed. Every change has one. */
export function reasonField({
  value,
  onInput,
  id = 'reason',
}: {
  value: string
  onInput(value: string): void
  id?: string
}) {
  return textField({
    label: 'Reason',
    id,
    value,
    onInput,
    isLong: true,
    isRequired: true,
    placeholder: 'What happened, and a ticket if there is one',
    hint: 'Required. It is stored in the audit with your name and address.',
    attributes: { maxLength: 500 },
  })
}
