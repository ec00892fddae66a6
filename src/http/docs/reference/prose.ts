import { escaped } from '../../../wire/pages/escaped.ts'
import { codeBlock } from '../code-block.ts'

/** A text of the document as HTML: an empty line separates paragraphs, backticks mark code. */
export function prose(text: string): string {
  return text
    .split('\n\n')
    .map((paragraph) => `<p>${inline(paragraph)}</p>`)
    .join('\n')
}

export function inline(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) => (part.startsWith('`') ? code(part.slice(1, -1)) : escaped(part)))
    .join('')
}

/** Code longer than a line of a phone may break. */
const lineMax = 38

export function code(text: string): string {
  return `<code${text.length > lineMax ? ' class="long"' : ''}>${escaped(text)}</code>`
}

export function json(value: unknown): string {
  return codeBlock(JSON.stringify(value, null, 2), 'json')
}

/** The rules that a schema cannot express. */
export function rulesBeyond(rules: string[] = []): string {
  if (rules.length === 0) return ''
  return `<p>Further rules:</p><ul>${rules.map((rule) => `<li>${inline(rule)}</li>`).join('')}</ul>`
}
