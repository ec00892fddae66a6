import { h } from 'preact'
import { useState } from 'preact/hooks'
import { copyText } from '../copy-text.ts'
import { html } from '../html.ts'

type CopyProps = {
  /** What is copied, always whole. */
  text: string
  /** On the button: "Copy for the partner". */
  label: string
  isPrimary?: boolean
  isSmall?: boolean
  onCopied?: () => void
}

export function copyButton(props: CopyProps) {
  return h(CopyButton, props)
}

function CopyButton({ text, label, isPrimary, isSmall, onCopied }: CopyProps) {
  const [state, setState] = useState<'new' | 'copied' | 'failed'>('new')
  const copy = () =>
    copyText(text).then(
      () => {
        setState('copied')
        onCopied?.()
      },
      () => setState('failed'),
    )
  const words = { new: label, copied: 'Copied', failed: 'Select the text and copy it' }
  return html`<button type="button" class=${`${isPrimary ? 'main' : ''} ${isSmall ? 'sm' : ''}`} onClick=${copy}>
      ${words[state]}</button
    ><span class="vh" role="status">${state === 'copied' ? 'Copied' : ''}</span>`
}

/** A text to be copied, shown as it will be pasted. */
export function copyBlock(props: CopyProps) {
  return html`<div class="stack">
    <pre tabindex="0">${props.text}</pre>
    <div class="acts">${copyButton(props)}</div>
  </div>`
}
