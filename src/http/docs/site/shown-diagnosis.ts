import type { Bytes } from '../../../doctor/bytes.ts'
import type { Diagnosis } from '../../../doctor/diagnose.ts'
import { excerpts, firstDifference } from '../../../doctor/excerpts.ts'
import { whenStillRefused } from '../../../doctor/mistakes.ts'
import { visibleText } from '../../../doctor/show-bytes.ts'
import { element } from './element.ts'
import { scrollWithKeyboard } from './scroll-with-keyboard.ts'

/** Shows a diagnosis: first the verdict, then the evidence. The command line shows the same. */
export function shownDiagnosis(diagnosis: Diagnosis): HTMLElement[] {
  const { isRight, mistakes, notes, expected, given, signingString, signed, body } = diagnosis
  const shown = [
    element(
      'h2',
      { class: isRight ? 'verdict right' : 'verdict wrong' },
      isRight ? 'The signature is correct.' : 'The signature is wrong.',
    ),
  ]
  const items = mistakes.map(({ id, title, fix, about }) =>
    element(
      'li',
      { 'data-mistake': id },
      element('strong', {}, about === null ? title : `${title} (${about})`),
      element('p', {}, fix),
    ),
  )
  if (items.length > 0) shown.push(element('ul', { class: 'mistakes' }, ...items))
  for (const note of notes) shown.push(element('p', { class: 'warning' }, note))
  if (isRight) {
    shown.push(
      element('p', {}, 'If the service still refuses it:'),
      element('ul', {}, ...whenStillRefused.map((line) => element('li', {}, line))),
    )
  }
  if (expected !== null) shown.push(element('h3', {}, 'The right signature'), signature(expected, 'expected'))
  if (given !== '' && given !== expected) shown.push(element('h3', {}, 'Yours'), signature(given, 'given'))
  if (signingString !== null) {
    const differs = signed === null ? null : firstDifference(signingString, signed)
    const { payloadStart } = diagnosis
    const count = `${signingString.length} bytes`
    shown.push(...shownString(`What must be signed: ${count}`, signingString, { payloadStart, differs }))
    if (signed !== null) {
      const parting = `${signed.length} bytes, different from byte ${differs} on`
      shown.push(...shownString(`What you signed: ${parting}`, signed, { differs }))
    }
  }
  shown.push(
    element('h3', {}, 'The body'),
    element('p', {}, `${body.bytes} bytes, SHA-256:`),
    signature(body.sha256, 'body'),
  )
  return shown
}

function signature(text: string, name: string): HTMLElement {
  return scrollWithKeyboard(
    element('p', { class: 'signature', 'data-signature': name }, element('code', {}, text)),
  )
}

type Marks = { payloadStart?: number; differs?: number | null }

function shownString(
  heading: string,
  bytes: Bytes,
  { payloadStart = 0, differs = null }: Marks,
): HTMLElement[] {
  const parts = excerpts(bytes).flatMap(({ start, bytes: shown }, index) => {
    const cells = shown.map(({ hex, text, kind }, at) => {
      const place = start + at
      const part = place === payloadStart - 1 ? ' dot' : place < payloadStart ? ' timestamp' : ''
      const mark = place === differs ? ' differs' : ''
      return element(
        'span',
        { class: `byte ${kind}${part}${mark}` },
        element('b', {}, text),
        element('i', {}, hex),
      )
    })
    return index === 0 ? cells : [element('span', { class: 'gap' }, '…'), ...cells]
  })
  const legend = payloadStart > 0 ? [legendOf(['timestamp', 'dot', 'payload'])] : []
  return [
    element('h3', {}, heading),
    scrollWithKeyboard(element('p', { class: 'string' }, element('code', {}, excerptOf(bytes)))),
    ...legend,
    // The same bytes as cells, hidden from screen readers, which have the line above.
    element('div', { class: 'bytes', 'aria-hidden': 'true' }, ...parts),
  ]
}

function legendOf(parts: string[]): HTMLElement {
  const marks = parts.map((part) => element('span', { class: part }, part))
  return element('p', { class: 'legend', 'aria-hidden': 'true' }, ...marks)
}

const textMax = 2_000

export function excerptOf(bytes: Bytes): string {
  return bytes.length <= textMax ? visibleText(bytes) : `${visibleText(bytes.slice(0, textMax))}…`
}
