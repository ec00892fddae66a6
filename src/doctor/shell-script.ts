import { withoutDocuments } from './here-documents.ts'
import { readCommand, type ShellCommand } from './shell-command.ts'
import { match } from './shell-expansion.ts'
import { appendTo, joinedWord, knownWord, type Scope, type ShellWord } from './shell-word.ts'

/** A curl command of a script, with the values of the variables that the script sets. */
export type CurlCommand = { words: ShellWord[]; stdin: ShellWord | null }

type Reading = { ok: true; commands: CurlCommand[] } | { ok: false; problem: string }

/** All curl commands in a pasted piece of shell script. Nothing is run. */
export function curlCommands(given: string): Reading {
  const { text, documents } = withoutDocuments(posixText(given))
  return commandsIn(text, { variables: new Map(), documents, valuesLeft: valuesMax }, 0)
}

/** Sixteen times the largest body that the service reads. */
const valuesMax = 1_048_576

/** Commands inside commands are read to this depth. */
const depthMax = 4

function commandsIn(text: string, scope: Scope, depth: number): Reading {
  const commands: CurlCommand[] = []
  let piped: ShellWord | null = null
  let at = 0
  while (at < text.length) {
    const [assigns, name] = match(powershellAssignment, text, at) ?? []
    const reading = readCommand(text, at + (assigns ?? '').length, scope)
    if (!reading.ok) return reading
    const { command } = reading
    at = command.end
    const words = withoutKeywords(command.words)
    const stdin: ShellWord | null = command.stdin ?? piped
    piped = command.isPiped ? outputOf(words, stdin) : null
    for (const inner of depth < depthMax ? command.substituted : []) {
      const within = commandsIn(inner, scope, depth + 1)
      if (!within.ok) continue
      for (const one of within.commands) commands.push(one)
    }
    if (name !== undefined) scope.variables.set(name, words[0] ?? knownWord(''))
    else if (isCurl(words[0])) commands.push({ words: words.slice(1), stdin })
    else assign(words, command, scope)
  }
  return { ok: true, commands }
}

const powershellAssignment = /\s*\$(?:env:)?(\w+)[ \t]*=[ \t]*/y
const assignment = /^([A-Za-z_]\w*)(\+?)=(.*)$/s
/** Commands that change a variable in a way that is not read: from there on its value is unknown. */
const changesOtherwise = /^(?:unset|for|printf -v) (\w+)/

function assign(words: ShellWord[], { stdin }: ShellCommand, { variables }: Scope): void {
  const [first] = words
  if (first?.text === 'read' && stdin !== null) {
    variables.set(words.at(-1)!.text, { ...stdin, text: stdin.text.trim() })
    return
  }
  const assigned = /^(export|local|readonly|declare|typeset)$/.test(first?.text ?? '')
    ? words.slice(1)
    : words
  const isAssignment = assigned.every(({ text }) => assignment.test(text))
  for (const word of isAssignment ? assigned : []) {
    const [, name, appends, value] = assignment.exec(word.text)!
    const added = { ...word, text: value!, unquoted: [] }
    const before = variables.get(name!) ?? { text: '', unknown: [`$${name}`], unquoted: [] }
    variables.set(name!, appends === '' ? added : joinedWord(before, added))
  }
  const [, changed] = changesOtherwise.exec(words.map(({ text }) => text).join(' ')) ?? []
  if (changed !== undefined) variables.delete(changed)
}

/** What a simple command prints; null if only running it would show that. */
function outputOf([command, ...rest]: ShellWord[], stdin: ShellWord | null): ShellWord | null {
  if (command?.text === 'cat' && rest.length === 0) return stdin
  if (command?.text === 'echo') {
    const [flag] = rest
    const isWithoutNewline = flag?.text === '-n'
    const printed = knownWord('')
    for (const [index, word] of (isWithoutNewline ? rest.slice(1) : rest).entries()) {
      if (index > 0) appendTo(printed, knownWord(' '))
      appendTo(printed, word)
    }
    appendTo(printed, knownWord(isWithoutNewline ? '' : '\n'))
    return printed
  }
  const [format, value] = rest
  if (command?.text !== 'printf' || format === undefined) return null
  if (/^%s(\\n)?$/.test(format.text) && value !== undefined && rest.length === 2) {
    return joinedWord(value, knownWord(format.text === '%s' ? '' : '\n'))
  }
  return rest.length === 1 && !/[%\\]/.test(format.text) ? format : null
}

/** Words that may come before a command. */
const keywords = new Set(['$', '{', '}', 'if', 'then', 'else', 'do', 'while', 'until', '!', 'time', 'sudo'])

function withoutKeywords(words: ShellWord[]): ShellWord[] {
  const first = words.findIndex(({ text }) => !keywords.has(text))
  return first < 0 ? [] : words.slice(first)
}

function isCurl(word: ShellWord | undefined): boolean {
  return /^(.*[/\\])?curl(\.exe)?$/.test(word?.text ?? '')
}

/** The ways in which cmd.exe and PowerShell continue a line, and the carets of cmd.exe, as a POSIX shell has them. */
function posixText(text: string): string {
  const isForCmd = /\^\r?\n|\^"/.test(text)
  const plain = isForCmd
    ? text.replaceAll(/\^(\r?\n|.)/gs, (_, next) => (/\n/.test(next) ? ' ' : next))
    : text
  return plain.replaceAll(/[ \t]`\r?\n/g, ' \\\n')
}
