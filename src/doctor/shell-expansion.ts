import { appendTo, knownWord, type Scope, type ShellWord } from './shell-word.ts'

type Expansion = {
  word: ShellWord
  /** The offset behind it. */
  end: number
  /** The command inside $(…) or backquotes. */
  substituted: string | null
}

// PowerShell writes $env:NAME for a variable of the environment. Of an open brace, not all of the text is searched for its
// end: where it is not found, ${NAME is the whole match.
const parameter = /\$(?:env:)?(?:(\w+|[@*#?])|\{(\w+|[@*#?])(?:([^}]{0,1024})\})?)/y
const documentInVariable = /\$\(\s*cat\s*<<\0(\d+)\0\s*\)/y
const backquoted = /`((?:[^`\\]|\\.)*)`/sy

/** Reads the shell expansion at this offset, such as $BODY; null if there is none. */
export function readExpansion(text: string, at: number, scope: Scope): Expansion | null {
  const document = match(documentInVariable, text, at)
  if (document !== null) {
    const word = documentText(Number(document[1]), scope)
    const end = at + document[0].length
    return { word: { ...word, text: word.text.replace(/\n+$/, '') }, end, substituted: null }
  }
  const variable = match(parameter, text, at)
  if (variable !== null) {
    const [raw, plain, braced, rest = plain === undefined ? null : ''] = variable
    return {
      word: parameterValue(raw, (plain ?? braced)!, rest, scope),
      end: at + raw.length,
      substituted: null,
    }
  }
  const [, inBackquotes] = match(backquoted, text, at) ?? []
  if (inBackquotes !== undefined) return substitution(text, at, at + inBackquotes.length + 2, inBackquotes)
  if (!text.startsWith('$(', at)) return null
  const end = behindParenthesis(text, at + 1)
  return substitution(text, at, end, text.slice(at + 2, end - 1))
}

/** The text up to `stop`, with its expansions replaced: the inside of double quotes, or a here-document. */
export function interpolated(text: string, at: number, stop: '"' | null, scope: Scope) {
  const word = knownWord('')
  const substituted: string[] = []
  let next = at
  while (next < text.length && text[next] !== stop) {
    const [escaped, kept] = match(stop === null ? escapedInDocument : escapedInQuotes, text, next) ?? []
    const expansion = readExpansion(text, next, scope)
    if (escaped !== undefined) {
      word.text += kept ?? ''
      next += escaped.length
    } else if (expansion !== null) {
      appendTo(word, expansion.word)
      if (expansion.substituted !== null) substituted.push(expansion.substituted)
      next = expansion.end
    } else {
      word.text += text[next]
      next++
    }
  }
  return { word, end: next, substituted }
}

const escapedInQuotes = /\\(?:\r?\n|([$`"\\]))/y
const escapedInDocument = /\\(?:\r?\n|([$`\\]))/y

export function documentText(index: number, scope: Scope): ShellWord {
  const { content, isLiteral } = scope.documents[index]!
  return isLiteral ? knownWord(content) : interpolated(content, 0, null, scope).word
}

/** `rest` is what follows the name in the braces; null if their end was not found. */
function parameterValue(raw: string, name: string, rest: string | null, scope: Scope): ShellWord {
  const value = scope.variables.get(name)
  const isPlain = rest !== null && /^(:?-|$)/.test(rest)
  if (value !== undefined && isPlain && value.unknown.length === 0) {
    scope.valuesLeft -= value.text.length
    if (scope.valuesLeft >= 0) return value
  }
  return { text: `$${name}`, unknown: [rest === null ? `${raw}…` : raw], unquoted: [] }
}

function substitution(text: string, at: number, end: number, substituted: string): Expansion {
  const raw = text.slice(at, end).replaceAll(/\s+/g, ' ')
  const shown = raw.length <= shownMax ? raw : `${raw.slice(0, shownMax)}…`
  return { word: { text: '$(…)', unknown: [shown], unquoted: [] }, end, substituted }
}

const shownMax = 40

/** The offset behind the parenthesis that closes the one at this offset. */
function behindParenthesis(text: string, at: number): number {
  let depth = 0
  for (let next = at; next < text.length; next++) {
    const [quoted] = match(quotedText, text, next) ?? []
    if (quoted !== undefined) next += quoted.length - 1
    else if (text[next] === '(') depth++
    else if (text[next] === ')' && --depth === 0) return next + 1
  }
  return text.length
}

const quotedText = /'[^']*'|\\./sy

export function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}
