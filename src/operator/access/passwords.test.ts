import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPasswords, newPassword, passwordProblem, TooManyPasswords } from './passwords.ts'

test('a password matches its hash and no other, however its characters are composed', async () => {
  const passwords = createPasswords()
  const stored = await passwords.hash('mật khẩu rất dài'.normalize('NFD'))
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.notEqual(await passwords.hash('mật khẩu rất dài'), stored)
  assert.equal(await passwords.matches('mật khẩu rất dài'.normalize('NFC'), stored), true)
  assert.equal(await passwords.matches('mật khẩu rất dai', stored), false)
  assert.equal(await passwords.matches('', null), false)
})

test('the event loop runs while a password is hashed', async () => {
  let turns = 0
  const ticking = setInterval(() => turns++, 1)
  await createPasswords().hash('correct horse battery')
  clearInterval(ticking)
  assert.ok(turns > 0)
})

test('one password is hashed at a time, sixteen may wait, and the next one is refused', async () => {
  const passwords = createPasswords({ memory: 32, passes: 1, parallelism: 1 })
  const all = await Promise.allSettled(Array.from({ length: 20 }, () => passwords.hash('x')))
  const refused = all.filter(({ status }) => status === 'rejected')
  assert.equal(refused.length, 4)
  assert.ok(refused.every((one) => (one as PromiseRejectedResult).reason instanceof TooManyPasswords))
  assert.match(await passwords.hash('x'), /^\$argon2id/)
})

test('a generated password is accepted, and is another one each time', () => {
  const [one, other] = [newPassword(), newPassword()]
  assert.notEqual(one, other)
  assert.equal(passwordProblem(one, 'mai'), null)
})
