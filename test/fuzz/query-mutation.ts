import { integerBelow, oneOf, type Random } from '../support/seeded-random.ts'
import { chance } from './fuzz-request.ts'

const limits =
  '1 2 20 100 0 -1 101 1.5 1e2 010 +20 20abc 0x10 %2020 %D9%A2%D9%A0 null %31 %ff %zz 1000 2%00 99999999999999999999'.split(
    ' ',
  )
const tenants = [
  't1',
  't1',
  't1',
  't2',
  'tz',
  't3',
  '',
  'T1',
  ' t1',
  't1/..',
  'té',
  '__proto__',
  'constructor',
  't'.repeat(65),
  '{}',
]
const parts = [
  'tenantId=t1',
  'tenantId[]=t1',
  'tenantId',
  'extra=1',
  '&&',
  '=',
  '=x',
  'a=%',
  '%ff=1',
  'limit[]=1',
  '__proto__=1',
  'cursor',
  '%74enantId=t1',
  'a;b',
  'x[y]=1',
]

/** A history query, and the tenantId that its signature covers. */
export function aQuery(random: Random, cursors: string[]): { query: string; tenantId: string } {
  if (chance(random, 0.25))
    return { query: `tenantId=t1&limit=${1 + integerBelow(random, 5)}`, tenantId: 't1' }
  const tenantId = oneOf(random, tenants)
  const query = [`tenantId=${encoded(random, tenantId)}`]
  if (chance(random, 0.5)) query.push(`limit=${oneOf(random, limits)}`)
  if (chance(random, 0.5)) query.push(`cursor=${aCursor(random, cursors)}`)
  while (chance(random, 0.3)) query.push(oneOf(random, parts))
  if (chance(random, 0.02)) query.push(...Array.from({ length: 40 }, () => oneOf(random, parts)))
  if (chance(random, 0.1)) query.reverse()
  return { query: query.join('&'), tenantId }
}

function encoded(random: Random, value: string): string {
  if (chance(random, 0.7)) return encodeURIComponent(value)
  return [...Buffer.from(value)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}

const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

function aCursor(random: Random, cursors: string[]): string {
  const letters = (count: number) =>
    Array.from({ length: count }, () => oneOf(random, [...base64url])).join('')
  const real = cursors.length > 0 ? oneOf(random, cursors) : letters(23)
  const at = integerBelow(random, real.length)
  return oneOf(random, [
    () => real,
    () => real,
    () => real.slice(0, at) + letters(1) + real.slice(at + 1),
    () => real.slice(0, at),
    () => `${real}%3D`,
    () => `${real}${letters(1)}`,
    () => letters(oneOf(random, [1, 22, 23, 24, 64, 2000])),
    () => oneOf(random, ['', '%00', '%ff', '0', 'null', '..%2f', real.toUpperCase()]),
  ])()
}
