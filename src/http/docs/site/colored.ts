import { element } from './element.ts'
import { tokensOf } from './tokens.ts'

/** A longer text stays plain: every color is an element. */
const coloredMax = 100_000

/** Code as elements, in the colors of its language. */
export function colored(code: string, language: string): (string | HTMLElement)[] {
  if (code.length > coloredMax) return [code]
  return tokensOf(code, language).map(({ kind, text }) =>
    kind === null ? text : element('span', { class: `t-${kind}` }, text),
  )
}
