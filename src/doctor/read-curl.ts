import { type Bytes, joined, textOf, utf8 } from './bytes.ts'
import { type Reading, sentRequest } from './sent-request.ts'
import { shellWords } from './shell-words.ts'

/** Options that take a value and do not affect what is signed. */
const otherValues =
  /^(-[oAbcemuxwyYzCDEFKPQTU]|--(output|user-agent|cookie|cookie-jar|referer|max-time|connect-timeout|user|proxy|write-out|retry|retry-delay|retry-max-time|resolve|cacert|capath|cert|key|interface|config|form|upload-file|range|limit-rate|ciphers|dump-header|stderr|trace|trace-ascii|connect-to|unix-socket|tls-max|oauth2-bearer))$/

const data = /^(-d|--data|--data-ascii|--data-binary|--data-raw|--json|--data-urlencode)$/

/** Returns the content of a file that a curl command names; null if it may not or cannot be read. */
export type FileReader = (path: string) => Bytes | null

/** Parses a curl command as curl would, and returns what it sends, byte for byte. */
export function readCurl(text: string, readFile: FileReader = () => null): Reading {
  const split = shellWords(text.replace(/^\s*\$ +/, '').trim())
  if (!split.ok) return split
  const headers: [string, string][] = []
  const parts: Bytes[] = []
  const notes: string[] = []
  let method: string | null = null
  let url: string | null = null
  let isGet = false

  const words = [...split.words.slice(1)]
  while (words.length > 0) {
    const { option, attached } = optionOf(words.shift()!)
    if (attached !== null) words.unshift(attached)
    if (option === null) {
      const positional = words.shift()!
      url ??= positional
    } else if (option === '--url') url = words.shift() ?? null
    else if (/^(-X|--request)$/.test(option)) method = (words.shift() ?? '').toUpperCase()
    else if (/^(-H|--header)$/.test(option)) headers.push(headerOf(words.shift() ?? ''))
    else if (/^(-G|--get)$/.test(option)) isGet = true
    else if (data.test(option)) {
      const part = dataOf(option, words.shift() ?? '', readFile)
      if (typeof part === 'string') return { ok: false, problem: part }
      if (part.note !== null) notes.push(part.note)
      parts.push(part.bytes)
    } else if (otherValues.test(option)) words.shift()
  }
  if (url === null) return { ok: false, problem: 'the command has no URL' }

  const between = utf8('&')
  const sent = joined(...parts.flatMap((part, index) => (index === 0 ? [part] : [between, part])))
  const target = targetOf(url, isGet ? textOf(sent) : null)
  const body = isGet ? new Uint8Array() : sent
  return sentRequest({
    method: method ?? (parts.length > 0 && !isGet ? 'POST' : 'GET'),
    target,
    headers,
    body,
    notes,
  })
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
  return `the body is in the file ${path}, which is not opened automatically: replace @${path} with its content, or name the file with --body-file on the command line`
}

function targetOf(url: string, query: string | null): string {
  const target = url
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/^[^/?#]*/, '')
    .replace(/#.*/s, '')
  const whole = target.startsWith('/') ? target : `/${target}`
  if (query === null) return whole
  return `${whole}${whole.includes('?') ? '&' : '?'}${query}`
}
