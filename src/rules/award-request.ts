import { awardSchema, metaBytesMax } from './award-schema.ts'
import { safeIntegerOf } from './decimal.ts'
import { normalizeEmail } from './email.ts'
import { idRule, isId } from './id.ts'
import {
  errorsMax,
  isPlainWord,
  type Json,
  JsonNumber,
  JsonObject,
  parseStrictJson,
  type Unread,
} from './strict-json.ts'

/** A valid award request: every field follows its rule, the address is lowercase, meta is the text as sent. */
export type AwardRequest = {
  tenantId: string
  orderId: string
  userEmail: string
  amount: number
  note: string | null
  meta: string | null
}

type FieldError = { pointer: string; detail: string }
/** Of a request with broken rules, the tenantId is known where that can be read and is well formed. */
type CheckedAwardRequest =
  | { ok: true; request: AwardRequest; tenantId: string }
  | { ok: false; errors: FieldError[]; tenantId: string | undefined }

const { orderId: orderIdSchema, amount: amountSchema, note: noteSchema } = awardSchema.properties
const fieldNames = Object.keys(awardSchema.properties)
/**
 * Beyond these bounds a body is not an award. Reading all of its keys or items would take many times as long as an award,
 * in which nobody else is served.
 */
const bounds = { keysMax: 64, levelLengthMax: metaBytesMax }
const orderIdPattern = new RegExp(orderIdSchema.pattern, 'u')
const notePattern = new RegExp(noteSchema.pattern, 'u')

/** Reads the received bytes, which are already authenticated: a valid request, or every broken rule at once. */
export function readAwardRequest(body: Uint8Array): CheckedAwardRequest {
  const text = decodeUtf8(body)
  if (text === null) return refuse([{ pointer: '', detail: 'the body is not valid UTF-8' }])
  if (text.startsWith('\ufeff')) {
    return refuse([{ pointer: '', detail: 'the body begins with a byte order mark: send plain UTF-8' }])
  }
  const json = parseStrictJson(text, bounds)
  const jsonErrors = json.ok ? [] : json.errors
  const value = json.ok ? json.value : json.readable
  if (value === undefined) return refuse(jsonErrors, tenantIdIn((json as Unread).fieldsBefore))
  if (!(value instanceof JsonObject)) {
    return refuse([...jsonErrors, { pointer: '', detail: 'the body must be a JSON object' }])
  }
  return checkFields(value.members, jsonErrors)
}

/** Whatever ended the reading: if the tenant came before it, the response tells of it. */
function tenantIdIn(fields: Map<string, Json>): string | undefined {
  const checked = checkTenantId(fields.get('tenantId'))
  return checked.ok ? checked.value : undefined
}

function checkFields(fields: Map<string, Json>, jsonErrors: FieldError[]): CheckedAwardRequest {
  const unknown = [...fields.keys()].filter((name) => !fieldNames.includes(name)).slice(0, errorsMax)
  const errors = [...jsonErrors, ...unknown.map(unknownField)]

  function field<T>(name: string, check: (value: Json | undefined) => Checked<T>): T {
    const checked = check(fields.get(name))
    if (!checked.ok) errors.push({ pointer: `/${name}`, detail: checked.detail })
    // Undefined if the rule is broken. A request with an error is never returned.
    return (checked as { value: T }).value
  }
  const request: AwardRequest = {
    tenantId: field('tenantId', checkTenantId),
    orderId: field('orderId', checkOrderId),
    userEmail: field('userEmail', checkUserEmail),
    amount: field('amount', checkAmount),
    note: field('note', checkNote),
    meta: field('meta', checkMeta),
  }
  const { tenantId } = request
  return errors.length === 0 ? { ok: true, request, tenantId } : refuse(errors, tenantId)
}

function unknownField(name: string): FieldError {
  const advice = 'is not a field of an award: put free-form data into meta'
  return isPlainWord(name)
    ? { pointer: `/${name}`, detail: advice }
    : { pointer: '', detail: `an unknown key ${advice}` }
}

type Checked<T> = { ok: true; value: T } | { ok: false; detail: string }

function checkTenantId(value: Json | undefined): Checked<string> {
  if (typeof value !== 'string') return broken('must be a string')
  return isId(value) ? { ok: true, value } : broken(idRule)
}

export function isOrderId(text: string): boolean {
  return checkOrderId(text).ok
}

function checkOrderId(value: Json | undefined): Checked<string> {
  if (typeof value !== 'string') return broken('must be a string')
  const { minLength, maxLength } = orderIdSchema
  if (value.length < minLength || longerThan(maxLength, value)) {
    return broken(`must have ${minLength} to ${maxLength} characters`)
  }
  if (!value.isWellFormed()) return broken('must not have a lone surrogate')
  return orderIdPattern.test(value) ? { ok: true, value } : broken('must not have control characters')
}

function checkUserEmail(value: Json | undefined): Checked<string> {
  if (typeof value !== 'string') return broken('must be a string')
  const address = normalizeEmail(value)
  return address.ok ? { ok: true, value: address.email } : broken(address.detail)
}

function checkAmount(value: Json | undefined): Checked<number> {
  if (!(value instanceof JsonNumber)) return broken('must be a number')
  const amount = safeIntegerOf(value.text)
  if (amount === null) return broken(`must be an integer of at most ${amountSchema.maximum}`)
  return amount >= amountSchema.minimum ? { ok: true, value: amount } : broken('must be greater than zero')
}

function checkNote(value: Json | undefined): Checked<string | null> {
  if (value === undefined || value === null) return { ok: true, value: null }
  if (typeof value !== 'string') return broken('must be a string')
  const { maxLength } = noteSchema
  if (longerThan(maxLength, value)) return broken(`must have at most ${maxLength} characters`)
  if (!value.isWellFormed()) return broken('must not have a lone surrogate')
  return notePattern.test(value)
    ? { ok: true, value }
    : broken('must not have control characters other than tab and newline')
}

function checkMeta(value: Json | undefined): Checked<string | null> {
  if (value === undefined || value === null) return { ok: true, value: null }
  if (!(value instanceof JsonObject)) return broken('must be an object')
  return Buffer.byteLength(value.text) > metaBytesMax
    ? broken(`must have at most ${metaBytesMax} bytes`)
    : { ok: true, value: value.text }
}

/** Lengths are in Unicode code points. A string has at most as many of them as UTF-16 units, and at least half: few need counting. */
function longerThan(max: number, text: string): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max)
}

// ignoreBOM keeps a byte order mark in the text, so that it can be refused.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

function broken(detail: string): { ok: false; detail: string } {
  return { ok: false, detail }
}

function refuse(errors: FieldError[], tenantId?: string): CheckedAwardRequest {
  return { ok: false, errors, tenantId }
}
