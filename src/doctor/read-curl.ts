import { type Bytes, joinedAll, textOf, utf8 } from './bytes.ts'
import { scriptHints } from './script-hints.ts'
import { type Reading, sentRequest } from './sent-request.ts'
import { type CurlCommand, curlCommands } from './shell-script.ts'
import { knownWord, type ShellWord } from './shell-word.ts'

/** Options that take a value and do not affect what is signed. */
const otherValues =
  /^(-[oAbcemuxwyYzCDEFKPQTU]|--(output|user-agent|cookie|cookie-jar|referer|max-time|connect-timeout|user|proxy|write-out|retry|retry-delay|retry-max-time|resolve|cacert|capath|cert|key|interface|config|form|upload-file|range|limit-rate|ciphers|dump-header|stderr|trace|trace-ascii|connect-to|unix-socket|tls-max|oauth2-bearer))$/

const data = /^(-d|--data|--data-ascii|--data-binary|--data-raw|--json|--data-urlencode)$/

/** Returns the content of a file that a curl command names; null if it may not or cannot be read. */
export type FileReader = (path: string) => Bytes | null

/**
 * Parses a curl command as curl would, and returns what it sends, byte for byte. It may be part of a shell script that
 * sets variables. Of several commands, the first one with a signature is meant.
 */
export function readCurl(text: string, readFile: FileReader = () => null): Reading {
  const script = curlCommands(text)
  if (!script.ok) return script
  const signed = script.commands.filter(({ words }) => words.some(isSignature))
  const command = signed[0] ?? script.commands[0]
  if (command === undefined) return { ok: false, problem: 'the text has no curl command that can be read' }
  const reading = readArguments(command, readFile)
  if (!reading.ok) return { ok: false, problem: `${reading.problem}${scriptHints(text)}` }
  if (signed.length <= 1) return reading
  const note = 'There are several curl commands: the first one with a signature was examined.'
  return { ok: true, request: { ...reading.request, notes: [...reading.request.notes, note] } }
}

function isSignature({ text }: ShellWord): boolean {
  return /^x-signature\s*[:;]/i.test(text)
}

function readArguments({ words: given, stdin }: CurlCommand, readFile: FileReader): Reading {
  const headers: [string, string][] = []
  const parts: Bytes[] = []
  const notes: string[] = []
  const unknown = new Set<string>()
  const addUnknown = (word: ShellWord) => {
    for (const expansion of word.unknown) unknown.add(expansion)
  }
  let method: string | null = null
  let url: ShellWord | null = null
  let isGet = false

  // The next one last: to shift a long list moves all of it.
  const words = [...given].reverse()
  const take = () => words.pop() ?? knownWord('')
  /** For a value that matters: its expansions must be known. */
  const takeText = () => {
    const word = take()
    addUnknown(word)
    for (const variable of word.unquoted) notes.push(notQuoted(variable))
    return word.text
  }
  while (words.length > 0) {
    const word = words.pop()!
    const { option, attached } = optionOf(word.text)
    if (attached !== null) words.push({ ...word, text: attached })
    if (option === null) {
      const positional = take()
      url ??= positional
    } else if (option === '--url') url = take()
    else if (/^(-X|--request)$/.test(option)) method = takeText().toUpperCase()
    else if (/^(-H|--header)$/.test(option)) {
      const isUsed = usedHeader.test(words.at(-1)?.text ?? '')
      headers.push(headerOf(isUsed ? takeText() : take().text))
    } else if (/^(-G|--get)$/.test(option)) isGet = true
    else if (data.test(option)) {
      const value = takeText()
      if (option === '--json') headers.push(['Content-Type', 'application/json'])
      if (value === '@-' && stdin !== null) addUnknown(stdin)
      const part = dataOf(option, value, (path) =>
        path === '-' && stdin !== null ? utf8(stdin.text) : readFile(path),
      )
      if (typeof part === 'string') return { ok: false, problem: part }
      if (part.note !== null) notes.push(part.note)
      parts.push(part.bytes)
    } else if (otherValues.test(option)) words.pop()
  }
  if (url === null) return { ok: false, problem: 'the command has no URL' }
  // The host is not signed, so its value is not needed.
  const isHostOnly = /^(https?:\/\/)?[^/?#]*$/i.test(url.text)
  if (isHostOnly || /^[^/?]*[/?].*\$/s.test(afterHost(url.text))) addUnknown(url)
  if (unknown.size > 0) return { ok: false, problem: notKnown([...unknown]) }

  const between = utf8('&')
  const sent = joinedAll(parts.flatMap((part, index) => (index === 0 ? [part] : [between, part])))
  return sentRequest({
    method: method ?? (parts.length > 0 && !isGet ? 'POST' : 'GET'),
    target: targetOf(url.text, isGet ? textOf(sent) : null),
    headers,
    body: isGet ? new Uint8Array() : sent,
    notes,
  })
}

const usedHeader = /^(x-api-key|x-timestamp|x-signature|content-type)\b/i

function notQuoted(name: string): string {
  return `${name} is not in double quotes, so most shells split its value at the spaces: write "${name}".`
}

function notKnown(expansions: string[]): string {
  const [only] = expansions
  if (expansions.length === 1) {
    return `${only} is a shell expansion, and its value is unknown here: replace it with the value that was sent`
  }
  const all = `${expansions.slice(0, -1).join(', ')} and ${expansions.at(-1)}`
  return `${all} are shell expansions, and their values are unknown here: replace each with the value that was sent (curl -v shows the headers)`
}

/** `-XPOST` and `--data=x` have an attached value; `-sSi` is three options, of which the last may take a value. */
function optionOf(word: string): { option: string | null; attached: string | null } {
  if (!word.startsWith('-') || word === '-') return { option: null, attached: word }
  if (word.startsWith('--')) {
    const [, option = word, value = null] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? []
    return { option, attached: value }
  }
  const takesValue = [...word].findIndex(
    (letter, at) => at > 0 && (/[XHd]/.test(letter) || otherValues.test(`-${letter}`)),
  )
  if (takesValue < 0) return { option: word.includes('G') ? '-G' : word, attached: null }
  return { option: `-${word[takesValue]}`, attached: word.slice(takesValue + 1) || null }
}

function headerOf(line: string): [string, string] {
  const [name = '', value = ''] = line.split(/[:;](.*)/s)
  return [name.trim(), value.trim()]
}

function dataOf(
  option: string,
  value: string,
  readFile: FileReader,
): { bytes: Bytes; note: string | null } | string {
  if (option === '--data-urlencode') {
    const [, name = '', content = value] = /^([^=]*=)(.*)$/s.exec(value) ?? []
    return { bytes: utf8(`${name}${encodeURIComponent(content)}`), note: null }
  }
  if (!value.startsWith('@') || option === '--data-raw') return { bytes: utf8(value), note: null }
  const path = value.slice(1)
  const bytes = readFile(path)
  if (bytes === null) return bodyElsewhere(path)
  if (option === '--data-binary' || option === '--json') return { bytes, note: null }
  const kept = bytes.filter((byte) => byte !== 10 && byte !== 13 && byte !== 0)
  const note = `${option} @${path} removes the newlines of the file; --data-binary @${path} sends it unchanged.`
  return { bytes: kept, note: kept.length === bytes.length ? null : note }
}

/** A pasted command may come from anyone, so the files it names are not opened. */
function bodyElsewhere(path: string): string {
  if (path === '-') {
    return 'the body comes from standard input, which is not in this text: replace @- with the body itself, or name a file with --body-file on the command line'
  }
  return `the body is in the file ${path}, which is not opened automatically: replace @${path} with its content, or name the file with --body-file on the command line`
}

function afterHost(url: string): string {
  return url.replace(/^[a-z]+:\/\//i, '').replace(/^[^/?#]*/, '')
}

function targetOf(url: string, query: string | null): string {
  const target = afterHost(url).replace(/#.*/s, '')
  const whole = target.startsWith('/') ? target : `/${target}`
  if (query === null) return whole
  return `${whole}${whole.includes('?') ? '&' : '?'}${query}`
}
