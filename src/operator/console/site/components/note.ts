import { type Content, html } from '../html.ts'

type NoteProps = {
  kind: 'info' | 'success' | 'warning' | 'error'
  title?: Content
  actions?: Content
  /** The result of an action, which screen readers announce. Errors always are. */
  isNew?: boolean
}

const classes = { info: '', success: 'ok', warning: 'mid', error: 'bad' }

export function note({ kind, title, actions, isNew = false }: NoteProps, ...content: Content[]) {
  return html`<div class=${`note ${classes[kind]}`} role=${kind === 'error' ? 'alert' : isNew ? 'status' : undefined}>
    ${title !== undefined && html`<b>${title}</b> `}${content}
    ${actions !== undefined && html`<div class="acts">${actions}</div>`}
  </div>`
}
