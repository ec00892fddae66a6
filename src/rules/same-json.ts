import { decimalOf, sameDecimal } from './decimal.ts'
import { type Json, JsonNumber, JsonObject } from './strict-json.ts'

/** Equal as JSON values: key order and white space do not count, `1.10` is `1.1`, no digit is rounded away. */
export function sameJson(a: Json, b: Json): boolean {
  if (a instanceof JsonNumber && b instanceof JsonNumber) {
    return a.text === b.text || sameNumber(a.text, b.text)
  }
  if (a instanceof JsonObject && b instanceof JsonObject) return sameMembers(a.members, b.members)
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]!))
  }
  return a === b
}

/** Doubles tell decimals of up to 15 digits apart. To compare thousands of numbers as decimals takes several milliseconds. */
const short = /^-?[0-9.]{1,15}$/

function sameNumber(a: string, b: string): boolean {
  if (short.test(a) && short.test(b)) return Number(a) === Number(b)
  return sameDecimal(decimalOf(a), decimalOf(b))
}

function sameMembers(a: Map<string, Json>, b: Map<string, Json>): boolean {
  if (a.size !== b.size) return false
  for (const [key, value] of a) {
    const other = b.get(key)
    if (other === undefined || !sameJson(value, other)) return false
  }
  return true
}
