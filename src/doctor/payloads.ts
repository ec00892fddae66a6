import { type Bytes, joined, latin1, textOf, toBase64, toHex, utf8, utf16 } from './bytes.ts'
import { sha256 } from './digests.ts'
import { jsonForms } from './json-forms.ts'
import type { MistakeId, Variant } from './mistakes.ts'
import { type SentRequest, tenantIdOf } from './sent-request.ts'

type Candidate = [MistakeId | MistakeId[], string | Bytes]

/** What is signed after the dot: an award's raw body, or the decoded tenantId of a history request. */
export function payloadOf(request: SentRequest): Bytes {
  return request.endpoint === 'award' ? request.body : utf8(tenantIdOf(request.target).decoded)
}

/** What may have been signed as the payload: the correct one first, then common wrong ones. */
export async function payloads(request: SentRequest): Promise<Variant<Bytes>[]> {
  const right = payloadOf(request)
  const candidates: Candidate[] = [
    ...(request.endpoint === 'award' ? ofAward(request) : ofHistory(request)),
    ['payload-empty', ''],
    ['newline-signed', joined(right, utf8('\n'))],
    ['newline-signed', joined(right, utf8('\r\n'))],
    ...placeholders.map((text): Candidate => ['placeholder-signed', text]),
    ['hash-signed', toHex(await sha256(right))],
    ['base64-signed', toBase64(right)],
  ]
  const found = new Map<string, Variant<Bytes>>([[nameOf(right), { value: right, mistakes: [] }]])
  for (const [mistake, payload] of candidates) {
    const mistakes = [mistake].flat()
    const name = nameOf(payload)
    const known = found.get(name)
    if (known !== undefined && known.mistakes.length <= mistakes.length) continue
    found.set(name, { value: typeof payload === 'string' ? utf8(payload) : payload, mistakes })
  }
  return [...found.values()]
}

/** Equal for equal bytes. */
function nameOf(payload: string | Bytes): string {
  return typeof payload === 'string' ? payload : (textOf(payload) ?? toHex(payload))
}

function ofAward({ body }: SentRequest): Candidate[] {
  const bom = Uint8Array.of(0xef, 0xbb, 0xbf)
  const text = textOf(body)
  if (text === null) return [['byte-order-mark', joined(bom, body)]]
  const lf = text.replaceAll('\r\n', '\n')
  const rewritten = jsonForms(text.replace(/^\ufeff/, '').trim())
  return [
    ['newline-not-signed', text.replace(/\r?\n$/, '')],
    ['byte-order-mark', joined(bom, body)],
    ['byte-order-mark', text.replace(/^\ufeff/, '')],
    ['white-space-trimmed', text.trim()],
    ['line-endings', lf],
    ['line-endings', lf.replaceAll('\n', '\r\n')],
    ['newlines-not-signed', text.replaceAll(/[\r\n]/g, '')],
    ...rewritten
      .filter(({ value }) => value.includes('\n') && value.replaceAll('\n', '') === text)
      .flatMap(({ value }): Candidate[] => [
        ['newlines-dropped', value],
        ['newlines-dropped', `${value}\n`],
      ]),
    ...rewritten.map(({ value, mistakes }): Candidate => [mistakes, value]),
    ...rewritten
      .filter(({ value }) => value.includes('\n'))
      .flatMap(({ value, mistakes }): Candidate[] => [
        [[...mistakes, 'line-endings'], value.replaceAll('\n', '\r\n')],
        [[...mistakes, 'newline-signed'], `${value}\n`],
      ]),
    ...changedByShell(text),
    ['python-repr-signed', `b'${text}'`],
    ...rewritten
      .filter(({ mistakes }) => mistakes.every((mistake) => mistake === 'body-spaced'))
      .map(({ value }): Candidate => ['python-repr-signed', asPythonDict(value)]),
    ['python-repr-signed', asPythonDict(text)],
    ['other-encoding', latin1(text)],
    ['other-encoding', utf8(Array.from(body, (byte) => String.fromCharCode(byte)).join(''))],
    ['other-encoding', utf16(text)],
    ['unicode-normalised', text.normalize('NFC')],
    ['unicode-normalised', text.normalize('NFD')],
    ['body-quoted', JSON.stringify(text)],
    ['tenant-signed-for-award', tenantIn(text)],
  ]
}

/** What is signed when a variable was not set or not replaced. */
const placeholders = [
  ...['undefined', 'null', 'None', 'nil', 'Array', '[object Object]', '$BODY', '$body', '{body}'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a program that does not substitute it signs this text
  ...['${BODY}', '${body}'],
]

/** What echo and a variable without quotes make of the body; echo also adds a newline. */
function changedByShell(text: string): Candidate[] {
  const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', '\\': '\\' }
  const unescaped = text.replaceAll(/\\([ntr\\])/g, (_, code: string) => escapes[code]!)
  const collapsed = text.replaceAll(/\s+/g, ' ').trim()
  return [
    ...[unescaped, `${unescaped}\n`]
      .filter(() => unescaped !== text)
      .map((changed): Candidate => ['changed-by-echo', changed]),
    ...[collapsed, `${collapsed}\n`]
      .filter(() => collapsed !== text.trim())
      .map((changed): Candidate => ['white-space-collapsed', changed]),
  ]
}

function asPythonDict(json: string): string {
  const words: Record<string, string> = { true: 'True', false: 'False', null: 'None' }
  return json
    .replaceAll('"', "'")
    .replaceAll(/(?<=[ [:,])(true|false|null)(?=[,}\]])/g, (word) => words[word]!)
}

function ofHistory({ target, body }: SentRequest): Candidate[] {
  const { raw, decoded } = tenantIdOf(target)
  const [path = '', query = ''] = target.split(/\?(.*)/s)
  const json = { tenantId: decoded }
  return [
    ['tenant-percent-encoded', raw],
    ['tenant-percent-encoded', encodeURIComponent(decoded)],
    ['tenant-percent-encoded', encodeURIComponent(decoded).replaceAll('%20', '+')],
    ['query-signed', query],
    ['query-signed', `?${query}`],
    ['query-signed', target],
    ['query-signed', path],
    ['query-signed', `tenantId=${raw}`],
    ['body-signed-for-history', body],
    ['body-signed-for-history', '{}'],
    ['body-signed-for-history', 'null'],
    ['body-signed-for-history', JSON.stringify(json)],
    ['body-signed-for-history', JSON.stringify(json).replace(':', ': ')],
    ['white-space-trimmed', decoded.trim()],
  ]
}

function tenantIn(text: string): string {
  try {
    const { tenantId } = JSON.parse(text)
    return typeof tenantId === 'string' ? tenantId : text
  } catch {
    return text
  }
}
