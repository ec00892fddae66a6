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

/** How many values it is made of, itself included. Equal ones have equally many. */
export function valuesIn(json: Json): number {
  if (Array.isArray(json)) return sumOf(json)
  return json instanceof JsonObject ? sumOf(json.members.values()) : 1
}

function sumOf(values: Iterable<Json>): number {
  let sum = 1
  for (const value of values) sum += valuesIn(value)
  return sum
}

/** Doubles tell decimals of up to 15 digits apart. To compare thousands of numbers as decimals takes several milliseconds. */
const short = /^-?[0-9.]{1,15}(?:[eE][+-]?[0-9]{1,2})?$/
const zero = /^-?[0.]+(?:[eE]|$)/
/** No other digits of a meta make up for so many digits of an exponent. To read one of 16,000 digits takes half a millisecond. */
const exponentDigitsApart = 6

function sameNumber(a: string, b: string): boolean {
  if (short.test(a) && short.test(b)) return Number(a) === Number(b)
  const apart = Math.abs(exponentDigits(a) - exponentDigits(b))
  if (apart > exponentDigitsApart) return zero.test(a) && zero.test(b)
  return sameDecimal(decimalOf(a), decimalOf(b))
}

function exponentDigits(text: string): number {
  const exponent = /[eE][+-]?0*([0-9]*)$/.exec(text)
  return exponent === null ? 0 : exponent[1]!.length
}

function sameMembers(a: Map<string, Json>, b: Map<string, Json>): boolean {
  if (a.size !== b.size) return false
  for (const [key, value] of a) {
    const other = b.get(key)
    if (other === undefined || !sameJson(value, other)) return false
  }
  return true
}
