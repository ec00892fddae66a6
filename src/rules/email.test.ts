import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { normalizeEmail } from './email.ts'

const longestLabel = 'd'.repeat(63)
const longest = `${'l'.repeat(64)}@${longestLabel}.${longestLabel}.${'d'.repeat(58)}.vn`

const accepted: [why: string, text: string, email: string][] = [
  ['a plain address stays', 'lan@example.vn', 'lan@example.vn'],
  ['capitals are lowercased on both sides', 'USER@Example.COM', 'user@example.com'],
  ['a plus tag stays', 'lan+shop@example.vn', 'lan+shop@example.vn'],
  ['dots inside the local part stay', 'l.a.n@example.vn', 'l.a.n@example.vn'],
  ['words between dots may be long', 'nguyen.thi.lan@example.vn', 'nguyen.thi.lan@example.vn'],
  ['every sign of a dot-atom is fine', "!#$%&'*+/=?^_`{|}~-@example.vn", "!#$%&'*+/=?^_`{|}~-@example.vn"],
  ['a punycode domain is fine', 'lan@xn--mnchen-3ya.de', 'lan@xn--mnchen-3ya.de'],
  ['labels may be digits and one letter long', '1@2.a', '1@2.a'],
  ['254 characters, 64 of them before the @, are fine', longest, longest],
]
for (const [why, text, email] of accepted) {
  test(`an address is accepted: ${why}`, () => {
    assert.deepEqual(normalizeEmail(text), { ok: true, email })
  })
}

const form = /form name@domain/
const local = /before the @ that is not allowed/
const domain = /domain of at least two labels/
const refused: [why: string, text: string, detail: RegExp][] = [
  ['nothing', '', form],
  ['no @', 'lan.example.vn', form],
  ['two @', 'lan@shop@example.vn', form],
  ['an @ at the end of all', 'lan@example.vn@', form],
  ['nothing before the @', '@example.vn', form],
  ['nothing after the @', 'lan@', form],
  ['a space in front, because nothing is trimmed', ' lan@example.vn', local],
  ['a space inside', 'l an@example.vn', local],
  ['a space behind', 'lan@example.vn ', domain],
  ['a newline behind', 'lan@example.vn\n', domain],
  ['a dot in front', '.lan@example.vn', local],
  ['a dot before the @', 'lan.@example.vn', local],
  ['two dots together', 'l..an@example.vn', local],
  ['a quoted local part', '"lan"@example.vn', local],
  ['a control character', 'l\u0000an@example.vn', local],
  ['65 characters before the @', `${'l'.repeat(65)}@example.vn`, /at most 64 characters before/],
  ['255 characters in all', `${longest}n`, /at most 254 characters/],
  ['one label', 'a@b', domain],
  ['an empty label', 'lan@example..vn', domain],
  ['a dot at the end', 'lan@example.vn.', domain],
  ['a dot after the @', 'lan@.example.vn', domain],
  ['a label of 64', `lan@${longestLabel}d.vn`, domain],
  ['a hyphen at the start of a label', 'lan@-example.vn', domain],
  ['a hyphen at the end of a label', 'lan@example-.vn', domain],
  ['an underscore in the domain', 'lan@exa_mple.vn', domain],
  ['an address literal', 'lan@[127.0.0.1]', domain],
  ['a letter beyond ASCII before the @', 'län@example.vn', /ASCII/],
  ['a letter beyond ASCII in the domain', 'lan@exämple.vn', /punycode/],
  ['the Kelvin sign, which would fold to k', '\u212aim@example.vn', /ASCII/],
]
for (const [why, text, detail] of refused) {
  test(`an address is refused: ${why}`, () => {
    const email = normalizeEmail(text)
    assert.ok(!email.ok)
    assert.match(email.detail, detail)
  })
}

const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const lower = 'abcdefghijklmnopqrstuvwxyz'

test('A–Z become a–z and nothing else of an accepted address changes', () => {
  fc.assert(
    fc.property(fc.emailAddress(), fc.infiniteStream(fc.boolean()), (address, capitals) => {
      const sent = [...address]
        .map((c) => (capitals.next().value ? (upper[lower.indexOf(c)] ?? c) : c))
        .join('')
      const email = normalizeEmail(sent)
      if (!email.ok) return
      assert.equal(email.email, [...sent].map((c) => lower[upper.indexOf(c)] ?? c).join(''))
      assert.deepEqual(normalizeEmail(email.email), email)
    }),
  )
})

test('no character beyond ASCII is accepted anywhere', () => {
  const beyondAscii = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((c) => c > '\u007f')
  fc.assert(
    fc.property(beyondAscii, fc.nat('lan@example.vn'.length), (character, at) => {
      const text = `${'lan@example.vn'.slice(0, at)}${character}${'lan@example.vn'.slice(at)}`
      assert.equal(normalizeEmail(text).ok, false)
    }),
  )
})

test('a refusal never repeats the address', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const email = normalizeEmail(`zq${text}@@`)
      assert.ok(!email.ok && !email.detail.includes('zq'))
    }),
  )
})
