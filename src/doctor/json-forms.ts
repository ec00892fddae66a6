import type { MistakeId, Variant } from './mistakes.ts'

type Layout = { comma: string; colon: string; indent: string | null; mistake: MistakeId }
type Escapes = { of(text: string): string; mistakes: MistakeId[] }
type Style = { layout: Layout; escapes: Escapes; isSorted: boolean; keepsNumbers: boolean }

const compact: Layout = { comma: ',', colon: ':', indent: null, mistake: 'body-compact' }
const layouts: Layout[] = [
  compact,
  { comma: ', ', colon: ': ', indent: null, mistake: 'body-spaced' },
  ...['  ', '    ', '\t'].map(
    (indent): Layout => ({ comma: ',', colon: ': ', indent, mistake: 'body-pretty' }),
  ),
  { comma: ',', colon: ' : ', indent: '  ', mistake: 'body-pretty' },
]

const slashes = (text: string) => text.replaceAll('/', '\\/')
const nonAscii = (text: string) => text.replace(/[\u007f-\uffff]/g, (character) => escaped(character))
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
const escapedInCapitals = (character: string) =>
  `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`

const escapings: Escapes[] = [
  { of: (text) => text, mistakes: [] },
  { of: nonAscii, mistakes: ['non-ascii-escaped'] },
  { of: slashes, mistakes: ['slashes-escaped'] },
  { of: (text) => nonAscii(slashes(text)), mistakes: ['slashes-escaped', 'non-ascii-escaped'] },
  { of: (text) => text.replace(/[<>&\u2028\u2029]/g, escaped), mistakes: ['html-escaped'] },
  {
    of: (text) =>
      text
        .replaceAll('\\"', '\\u0022')
        .replace(/[<>&'+`\u007f-\uffff]/g, (character) => escapedInCapitals(character)),
    mistakes: ['html-escaped', 'non-ascii-escaped'],
  },
]

/** The same JSON as other serializers write it. Each form lists its differences from the text that was sent. */
export function jsonForms(sent: string): Variant<string>[] {
  let value: unknown
  try {
    value = JSON.parse(sent, keepNumbers)
  } catch {
    return []
  }
  const styles = [true, false].flatMap((keepsNumbers) =>
    [false, true].flatMap((isSorted) =>
      escapings.flatMap((escapes) => layouts.map((layout) => ({ layout, escapes, isSorted, keepsNumbers }))),
    ),
  )
  const texts = styles.map((style) => ({ style, text: written(value, style) }))
  const own = texts.find(({ text }) => text === sent)?.style ?? null
  return texts
    .filter(({ text }) => text !== sent)
    .map(({ style, text }) => ({ value: text, mistakes: differences(style, own) }))
    .filter(({ mistakes }) => mistakes.length > 0)
}

function differences(style: Style, own: Style | null): MistakeId[] {
  const found: MistakeId[] = []
  if (style.layout !== own?.layout) found.push(style.layout.mistake)
  if (style.isSorted && own?.isSorted !== true) found.push('keys-sorted')
  const ownEscapes = own?.escapes.mistakes ?? []
  found.push(...style.escapes.mistakes.filter((mistake) => !ownEscapes.includes(mistake)))
  if (ownEscapes.some((mistake) => !style.escapes.mistakes.includes(mistake))) found.push('escapes-removed')
  if (!style.keepsNumbers) found.push('numbers-rewritten')
  return found
}

/** A number with its original digits. */
class NumberAsSent {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

function keepNumbers(_: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === 'number' ? new NumberAsSent(context?.source ?? String(value)) : value
}

function written(value: unknown, style: Style, depth = 0): string {
  const { layout, escapes, isSorted, keepsNumbers } = style
  if (value instanceof NumberAsSent) return keepsNumbers ? value.source : JSON.stringify(Number(value.source))
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return escapes.of(JSON.stringify(value))
  const list = Array.isArray(value)
  const members = list
    ? value.map((item) => written(item, style, depth + 1))
    : (isSorted ? Object.entries(value as object).sort(byName) : Object.entries(value as object)).map(
        ([name, item]) =>
          `${escapes.of(JSON.stringify(name))}${layout.colon}${written(item, style, depth + 1)}`,
      )
  const [open, close] = list ? '[]' : '{}'
  if (members.length === 0) return `${open}${close}`
  const { indent, comma } = layout
  if (indent === null) return `${open}${members.join(comma)}${close}`
  const line = `\n${indent.repeat(depth + 1)}`
  return `${open}${line}${members.join(`${comma}${line}`)}\n${indent.repeat(depth)}${close}`
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1
}
