import { type Content, html } from '../html.ts'

type EmptyProps = {
  title: Content
  /** Why it is empty, and the next step. */
  text?: Content
  actions?: Content
  /** The same on the command line. */
  command?: string
}

export function empty({ title, text, actions, command }: EmptyProps) {
  return html`<div class="empty">
    <h3>${title}</h3>
    ${text !== undefined && html`<p>${text}</p>`}
    ${actions !== undefined && html`<div class="acts">${actions}</div>`}
    ${command !== undefined && html`<p class="small"><code>${command}</code></p>`}
  </div>`
}
