import type { Bytes } from '../doctor/bytes.ts'
import type { Diagnosis } from '../doctor/diagnose.ts'
import { excerpts, firstDifference } from '../doctor/excerpts.ts'
import { whenStillRefused } from '../doctor/mistakes.ts'
import type { ShownByte } from '../doctor/show-bytes.ts'
import { count, terminalSafe, terminalSafeLines } from './safe-text.ts'

/** A diagnosis as text: the verdict first, then the evidence. */
export function doctorReport(diagnosis: Diagnosis, bold: (text: string) => string = (text) => text): string {
  const { isRight, mistakes, notes, expected, given, signingString, signed, body } = diagnosis
  const verdict = isRight ? 'The signature is correct.' : 'The signature is wrong.'
  const lines = [bold(verdict), '']
  for (const { id, title, fix, about } of mistakes) {
    const what = about === null ? title : `${title} (${about})`
    lines.push(`  ${terminalSafeLines(what)} [${id}]`, `    ${terminalSafeLines(fix)}`, '')
  }
  lines.push(...notes.map((note) => `  Note: ${terminalSafeLines(note)}`), ...(notes.length > 0 ? [''] : []))
  if (expected !== null) lines.push(`expected  ${expected}`)
  if (given !== '' && given !== expected) lines.push(`received  ${terminalSafe(given)}`)
  if (signingString !== null)
    lines.push('', `String to sign, ${sized(signingString)}:`, ...dump(signingString))
  if (signed !== null && signingString !== null) {
    const at = firstDifference(signingString, signed)
    lines.push('', `What you signed, ${sized(signed)}, first difference at byte ${at}:`, ...dump(signed))
  }
  lines.push('', `The body has ${count(body.bytes, 'byte')}, SHA-256 ${body.sha256}.`)
  if (isRight)
    lines.push('', 'If the service still refuses it:', ...whenStillRefused.map((line) => `  ${line}`))
  return lines.join('\n')
}

function sized(bytes: Bytes): string {
  return count(bytes.length, 'byte')
}

const bytesInRow = 16

function dump(bytes: Bytes): string[] {
  return excerpts(bytes).flatMap(({ start, bytes: excerpt }, index) => {
    const rows: string[] = index === 0 ? [] : ['  …']
    for (let at = 0; at < excerpt.length; at += bytesInRow) {
      const row = excerpt.slice(at, at + bytesInRow)
      const offset = String(start + at).padStart(5)
      const hex = row.map(({ hex }) => hex).join(' ')
      rows.push(`  ${offset}  ${hex.padEnd(bytesInRow * 3 - 1)}  ${row.map(letter).join('')}`)
    }
    return rows
  })
}

/** One column for each byte. */
function letter({ text, kind }: ShownByte): string {
  if (kind === 'space') return ' '
  return kind === 'plain' ? text : '·'
}
