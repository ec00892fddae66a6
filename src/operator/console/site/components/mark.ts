import { type Content, html } from '../html.ts'

/** Circle, diamond, square and ring: shapes as well as colors. */
type Status = 'good' | 'attention' | 'bad' | 'inactive'
const classes: Record<Status, string> = { good: 'ok', attention: 'mid', bad: 'bad', inactive: 'off' }

/** A status mark and its word. */
export function mark(status: Status, word: Content) {
  return html`<span class=${`tag ${classes[status]}`}>${word}</span>`
}

/** A code of the specification, verbatim. It may break where it has an underscore. */
export function code(value: string) {
  return html`<span class="code">${value
    .split(/(?<=_)/)
    .map((part, index) => (index === 0 ? part : [html`<wbr />`, part]))}</span>`
}

/** Text that somebody else has written: isolated, so that its direction cannot change what stands around it. */
export function stored(text: string) {
  return html`<bdi>${text}</bdi>`
}
