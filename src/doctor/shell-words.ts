/** Splits the first command in a text into words, as a POSIX shell (with bash's $'…') does. */
export function shellWords(text: string): { ok: true; words: string[] } | { ok: false; problem: string } {
  const words: string[] = []
  let word: string | null = null
  let at = 0
  const rest = () => text.slice(at)

  while (at < text.length) {
    const character = text[at]!
    const joinedLine = /^\\\r?\n/.exec(rest())
    const ansi = /^\$'((?:[^'\\]|\\.)*)'/s.exec(rest())
    const single = /^'([^']*)'/.exec(rest())
    const double = /^"((?:[^"\\]|\\.)*)"/s.exec(rest())
    if (joinedLine !== null) {
      at += joinedLine[0].length
    } else if (ansi !== null) {
      const impossible = ansi[1]!.match(ansiEscape)?.find(isNoCharacter)
      if (impossible !== undefined) return { ok: false, problem: `${impossible} is not a Unicode character` }
      word = (word ?? '') + ansi[1]!.replace(ansiEscape, unescaped)
      at += ansi[0].length
    } else if (single !== null) {
      word = (word ?? '') + single[1]!
      at += single[0].length
    } else if (double !== null) {
      const expansion = expansionIn(double[1]!)
      if (expansion !== null) return { ok: false, problem: notExpanded(expansion) }
      word = (word ?? '') + double[1]!.replace(/\\(?:\r?\n|([$`"\\]))/g, '$1')
      at += double[0].length
    } else if (character === "'" || character === '"') {
      return { ok: false, problem: `the command has an unclosed ${character}` }
    } else if (character === '\\') {
      word = (word ?? '') + (text[at + 1] ?? '')
      at += 2
    } else if (expansionIn(rest()) !== null && rest().startsWith(expansionIn(rest())!)) {
      return { ok: false, problem: notExpanded(expansionIn(rest())!) }
    } else if (/[\n;|&<>]/.test(character)) {
      break
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word)
      word = null
      at++
    } else {
      word = (word ?? '') + character
      at++
    }
  }
  if (word !== null) words.push(word)
  return { ok: true, words }
}

/** A shell expansion, whose value is unknown here. */
function expansionIn(text: string): string | null {
  return /(?<!\\)(\$\{?\w+\}?|\$\(|`)/.exec(text)?.[1] ?? null
}

function notExpanded(expansion: string): string {
  return `${expansion} is a shell expansion, and its value is unknown here: paste the command with the actual values`
}

const ansiEscape = /\\(u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)/gs

/** Outside Unicode, or a lone surrogate: it has no UTF-8 encoding. */
function isNoCharacter(sequence: string): boolean {
  const code = /^\\[uU]([0-9a-fA-F]+)$/.exec(sequence)?.[1]
  if (code === undefined) return false
  const point = Number.parseInt(code, 16)
  return point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)
}

function unescaped(_: string, code: string): string {
  if (/^[uUx]./.test(code)) return String.fromCodePoint(Number.parseInt(code.slice(1), 16))
  if (/^[0-7]/.test(code)) return String.fromCodePoint(Number.parseInt(code, 8))
  return { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', v: '\v', a: '\x07', e: '\x1b' }[code] ?? code
}
