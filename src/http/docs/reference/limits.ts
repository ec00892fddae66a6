import type { Schema } from '../../../wire/problems/member-schema.ts'
import { escaped } from '../../../wire/pages/escaped.ts'
import { code } from './prose.ts'

/** The type of a value in words. */
export function typeOf({ type, items, format }: Schema): string {
  if (type === 'array') return `array of ${typeOf(items as Schema)}s`
  const name = [type].flat().join(' or ')
  return format === undefined ? name : `${name}, ${format}`
}

/** The limits of a value in words, each a piece of HTML. */
export function limitsOf(schema: Schema): string[] {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = schema
  const items = (schema.items ?? {}) as Schema
  return [
    ...('const' in schema ? [`Always ${code(String(schema.const))}`] : []),
    ...oneOf('One of', schema.enum),
    ...oneOf('Each one of', items.enum),
    ...range(minLength, maxLength, 'character'),
    ...range(minimum, maximum),
    ...range(minItems, maxItems, 'item'),
    ...('default' in schema ? [`Default ${code(String(schema.default))}`] : []),
    ...patternsOf(schema).map(shownPattern),
  ]
}

function oneOf(words: string, values: unknown = []): string[] {
  const list = (values as unknown[]).map((value) => code(String(value)))
  return list.length === 0 ? [] : [`${words} ${list.join(', ')}`]
}

function range(from: unknown, to: unknown, unit = ''): string[] {
  const counted = (limit: unknown) => (unit === '' ? `${limit}` : `${limit} ${unit}${limit === 1 ? '' : 's'}`)
  if (from !== undefined && to !== undefined) return [`${from} to ${counted(to)}`]
  if (from !== undefined) return [`At least ${counted(from)}`]
  return to === undefined ? [] : [`At most ${counted(to)}`]
}

function patternsOf({ pattern, allOf = [] }: Schema): string[] {
  const more = (allOf as Schema[]).flatMap(patternsOf)
  return pattern === undefined ? more : [String(pattern), ...more]
}

/** A long pattern is collapsed: it helps programs more than readers. */
function shownPattern(pattern: string): string {
  if (pattern.length <= 60) return `Pattern ${code(pattern)}`
  return `<details><summary>Pattern of ${pattern.length} characters</summary><pre>${escaped(pattern)}</pre></details>`
}
