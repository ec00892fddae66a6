/**
 * A strict JSON parser for signed, audited requests: what JSON.parse silently repairs or drops is an error here.
 * Numbers keep their digits, objects keep their text, duplicate keys and `__proto__` are refused. An error never
 * repeats content of the document, except a key that is a plain word.
 */
export type Json = null | boolean | string | JsonNumber | Json[] | JsonObject

/** The digits as sent: `1.10` and `12345678901234567890` survive. */
export class JsonNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export class JsonObject {
  readonly members: Map<string, Json>
  /** The object as sent, from brace to brace. */
  readonly text: string
  constructor(members: Map<string, Json>, text: string) {
    this.members = members
    this.text = text
  }
}

type JsonError = { pointer: string; detail: string }
/** A document with bad keys is still parsed (`readable`), so that errors of its fields are in the same response. */
type StrictJson = { ok: true; value: Json } | { ok: false; errors: JsonError[]; readable: Json } | Unread
/** What ended the reading, and the fields before it. */
export type Unread = { ok: false; errors: JsonError[]; readable?: undefined; fieldsBefore: Map<string, Json> }

/** A document within 33 levels: the request's own object and 32 in its meta. */
export const levelsMax = 33

/** A bound on the response: a body full of errors must not produce an even longer list of them. */
export const errorsMax = 50

export const tooManyValues = 'has too many values'

type Bounds = {
  /** Of the document's own object. */
  keysMax: number
  /** Of an object or an array within it, in characters. */
  levelLengthMax: number
  /** Objects, arrays, and what is in them. */
  valuesMax: number
}
const unbounded: Bounds = {
  keysMax: Number.POSITIVE_INFINITY,
  levelLengthMax: Number.POSITIVE_INFINITY,
  valuesMax: Number.POSITIVE_INFINITY,
}

/** A syntax error, or what exceeds a bound, ends the parsing. Bad keys are collected, so that all of them are reported at once. */
export function parseStrictJson(text: string, bounds: Partial<Bounds> = {}): StrictJson {
  const reader = new Reader(text, { ...unbounded, ...bounds })
  try {
    const value = reader.document()
    const { errors } = reader
    return errors.length === 0 ? { ok: true, value } : { ok: false, errors, readable: value }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    return {
      ok: false,
      errors: [{ pointer: error.pointer, detail: error.message }],
      fieldsBefore: reader.fields,
    }
  }
}

/** An error may name a key only if it is a plain word, which cannot be an address or a sentence. */
export function isPlainWord(key: string): boolean {
  return /^[\w.-]{1,64}$/.test(key)
}

class Unreadable extends Error {
  readonly pointer: string
  constructor(message: string, pointer = '') {
    super(message)
    this.pointer = pointer
  }
}

const numberToken = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const stringToken = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y

/** Parses once from left to right. `#path` is the current place: a key or an index for each open level. */
class Reader {
  readonly errors: JsonError[] = []
  /** Of the document's own object. */
  readonly fields = new Map<string, Json>()
  readonly #text: string
  readonly #bounds: Bounds
  readonly #path: (string | number)[] = []
  #at = 0
  /** Keys of the document's own object so far, and where the value of the last one begins. */
  #keys = 0
  #fieldAt = 0
  #values = 0
  /** The line of the last place that was told. To count lines from the start for each of fifty errors takes too long. */
  readonly #line = { number: 1, start: 0, countedTo: 0 }

  constructor(text: string, bounds: Bounds) {
    this.#text = text
    this.#bounds = bounds
  }

  document(): Json {
    this.#space()
    const value = this.#value()
    if (this.#at < this.#text.length) throw this.#unreadable('the end of the document')
    return value
  }

  /** One value and the white space after it. */
  #value(): Json {
    if (++this.#values > this.#bounds.valuesMax) throw new Unreadable(tooManyValues)
    const first = this.#text[this.#at]
    if (first === '{') return this.#object()
    if (first === '[') return this.#array()
    if (first === '"') return this.#string()
    if (first === 't') return this.#word('true', true)
    if (first === 'f') return this.#word('false', false)
    if (first === 'n') return this.#word('null', null)
    return new JsonNumber(this.#token(numberToken, 'a value'))
  }

  #object(): JsonObject {
    const start = this.#at
    const members = this.#path.length === 0 ? this.fields : new Map<string, Json>()
    if (!this.#opensEmpty('}')) {
      do this.#member(members)
      while (this.#more('}'))
    }
    const object = new JsonObject(members, this.#text.slice(start, this.#at))
    this.#space()
    return object
  }

  #member(members: Map<string, Json>): void {
    const key = this.#string('a key in double quotes')
    if (members.has(key)) this.#refuseKey(key, 'appears twice: send each key once')
    if (key === '__proto__') this.#refuseKey(key, 'is not accepted as a key')
    if (this.#text[this.#at] !== ':') throw this.#unreadable('a colon')
    this.#step()
    if (this.#path.length === 0) this.#countKey()
    this.#path.push(key)
    members.set(key, this.#value())
    this.#path.pop()
  }

  #countKey(): void {
    const { keysMax } = this.#bounds
    if (++this.#keys > keysMax) throw new Unreadable(`the body has more than ${keysMax} top-level fields`)
    this.#fieldAt = this.#at
  }

  #array(): Json[] {
    const items: Json[] = []
    if (!this.#opensEmpty(']')) {
      do {
        this.#path.push(items.length)
        items.push(this.#value())
        this.#path.pop()
      } while (this.#more(']'))
    }
    this.#space()
    return items
  }

  /** Enters a level; true if it closes at once. Like #more, it leaves the space after the bracket unread. */
  #opensEmpty(close: string): boolean {
    if (this.#path.length >= levelsMax) {
      throw new Unreadable(`is nested deeper than ${levelsMax - 1} levels`, this.#field())
    }
    this.#step()
    return this.#closes(close)
  }

  #more(close: string): boolean {
    if (this.#closes(close)) return false
    if (this.#text[this.#at] !== ',') throw this.#unreadable(`a comma or ${close}`)
    this.#step()
    if (this.#path.length > 0 || close === ']') this.#checkLength()
    return true
  }

  #checkLength(): void {
    const { levelLengthMax } = this.#bounds
    if (this.#at - this.#fieldAt <= levelLengthMax) return
    throw new Unreadable(
      `must not have more than ${levelLengthMax} bytes in an object or array`,
      this.#field(),
    )
  }

  #closes(close: string): boolean {
    if (this.#text[this.#at] !== close) return false
    this.#at++
    return true
  }

  #string(expected = 'a string without raw control characters or unknown escapes'): string {
    const token = this.#token(stringToken, expected)
    return token.includes('\\') ? JSON.parse(token) : token.slice(1, -1)
  }

  #word<T extends Json>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) throw this.#unreadable('a value')
    this.#at += word.length
    this.#space()
    return value
  }

  #token(pattern: RegExp, expected: string): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found === null) throw this.#unreadable(expected)
    this.#at = pattern.lastIndex
    this.#space()
    return found[0]
  }

  #step(): void {
    this.#at++
    this.#space()
  }

  #space(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.#at++
    }
  }

  #refuseKey(key: string, detail: string): void {
    if (this.errors.length === errorsMax) return
    const path = [...this.#path, key]
    const named = path.every((step) => isPlainWord(String(step)))
    this.errors.push(
      named
        ? { pointer: `/${path.join('/')}`, detail }
        : { pointer: this.#field(), detail: `a key before ${this.#place()} ${detail}` },
    )
  }

  /** The top-level field of the current place, if it may be named. */
  #field(): string {
    const [field] = this.#path
    return typeof field === 'string' && isPlainWord(field) ? `/${field}` : ''
  }

  #unreadable(expected: string): Unreadable {
    return new Unreadable(`not JSON: expected ${expected} at ${this.#place()}`)
  }

  #place(): string {
    const line = this.#line
    for (; line.countedTo < this.#at; line.countedTo++) {
      if (this.#text[line.countedTo] !== '\n') continue
      line.number++
      line.start = line.countedTo + 1
    }
    return `line ${line.number}, column ${this.#at - line.start + 1}`
  }
}
