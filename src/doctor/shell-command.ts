import { ansiText } from './ansi-text.ts'
import { documentText, interpolated, match, readExpansion } from './shell-expansion.ts'
import { appendTo, joinedWord, knownWord, type Scope, type ShellWord } from './shell-word.ts'

export type ShellCommand = {
  words: ShellWord[]
  /** What it reads from standard input, if that is in the text. */
  stdin: ShellWord | null
  /** Commands inside it, in $(…). */
  substituted: string[]
  /** Whether its output goes to the next command. */
  isPiped: boolean
  /** The offset behind it. */
  end: number
}

const lineJoin = /\\\r?\n/y
const ansiQuoted = /\$'((?:[^'\\]|\\.)*)'/sy
const singleQuoted = /'([^']*)'/y
const document = /<<\0(\d+)\0/y
const redirection = /<<<|>>|[<>]&?/y
/** Blank lines together: each would be a command, which looks at all that follow. */
const commandEnd = /&&|\|\||\n\s*|[;|&()]/y
const comment = /#[^\n]*/y

type Reading = { ok: true; command: ShellCommand } | { ok: false; problem: string }

/** Reads one command, as a POSIX shell (with bash's $'…' and <<<) does. */
export function readCommand(text: string, start: number, scope: Scope): Reading {
  const words: ShellWord[] = []
  const substituted: string[] = []
  let stdin: ShellWord | null = null
  let word: ShellWord | null = null
  let redirected: string | null = null
  let at = start
  const add = (part: ShellWord) => {
    word ??= knownWord('')
    appendTo(word, part)
  }
  const endWord = () => {
    if (word === null) return
    if (redirected === null) words.push(word)
    else if (redirected === '<<<') stdin = joinedWord(word, knownWord('\n'))
    redirected = null
    word = null
  }

  while (at < text.length) {
    const character = text[at]!
    const [joins] = match(lineJoin, text, at) ?? []
    const [ansi, ansiInside] = match(ansiQuoted, text, at) ?? []
    const [single, inside] = match(singleQuoted, text, at) ?? []
    const [redirects] = match(redirection, text, at) ?? []
    const [documents, index] = match(document, text, at) ?? []
    const [ends] = match(commandEnd, text, at) ?? []
    const expansion = readExpansion(text, at, scope)
    if (joins !== undefined) at += joins.length
    else if (ansi !== undefined) {
      const read = ansiText(ansiInside!)
      if (!read.ok) return read
      add(knownWord(read.text))
      at += ansi.length
    } else if (single !== undefined) {
      add(knownWord(inside!))
      at += single.length
    } else if (character === '"') {
      const quoted = interpolated(text, at + 1, '"', scope)
      if (quoted.end >= text.length) return { ok: false, problem: 'the command has an unclosed "' }
      add(quoted.word)
      for (const inner of quoted.substituted) substituted.push(inner)
      at = quoted.end + 1
    } else if (character === "'") {
      return { ok: false, problem: "the command has an unclosed '" }
    } else if (expansion !== null) {
      const name = /\s/.test(expansion.word.text) ? [text.slice(at, expansion.end)] : []
      add({ ...expansion.word, unquoted: name })
      if (expansion.substituted !== null) substituted.push(expansion.substituted)
      at = expansion.end
    } else if (character === '\\') {
      add(knownWord(text[at + 1] ?? ''))
      at += 2
    } else if (documents !== undefined) {
      endWord()
      stdin = documentText(Number(index), scope)
      at += documents.length
    } else if (redirects !== undefined) {
      const isNumbered = /^\d$/.test((word as ShellWord | null)?.text ?? '')
      if (isNumbered) word = null
      endWord()
      redirected = redirects
      at += redirects.length
    } else if (ends !== undefined) {
      endWord()
      return {
        ok: true,
        command: { words, stdin, substituted, isPiped: ends === '|', end: at + ends.length },
      }
    } else if (/\s/.test(character)) {
      endWord()
      at++
    } else if (character === '#' && word === null) {
      at += match(comment, text, at)![0].length
    } else {
      add(knownWord(character))
      at++
    }
  }
  endWord()
  return { ok: true, command: { words, stdin, substituted, isPiped: false, end: at } }
}
