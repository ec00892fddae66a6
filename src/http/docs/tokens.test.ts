import { deepEqual, equal, ok } from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { tokensOf } from './site/tokens.ts'

const languages: Record<string, string> = {
  sh: 'sh',
  ts: 'typescript',
  py: 'python',
  php: 'php',
  go: 'go',
  java: 'java',
  rb: 'ruby',
  cs: 'csharp',
}

test('the pieces of a program, joined, are the program', () => {
  for (const file of globSync('examples/[Aa]ward.*')) {
    const code = readFileSync(file, 'utf8')
    const tokens = tokensOf(code, languages[file.split('.')[1]!]!)
    equal(tokens.map(({ text }) => text).join(''), code, file)
    for (const kind of ['comment', 'string', 'keyword'])
      ok(tokens.filter((token) => token.kind === kind).length > 2, `${file} has a ${kind}`)
  }
})

test('what is in a string or a comment has no color of its own', () => {
  const kinds = (code: string, language: string) =>
    tokensOf(code, language).flatMap(({ kind, text }) => (kind === null ? [] : [`${kind} ${text}`]))
  deepEqual(kinds(`{"a": "b: 1", "c": [-1.5e3, null]}`, 'json'), [
    'name "a"',
    'string "b: 1"',
    'name "c"',
    'number -1.5e3',
    'keyword null',
  ])
  deepEqual(kinds(`const a = '// "no"' // new 'x'`, 'typescript'), [
    'keyword const',
    `string '// "no"'`,
    `comment // new 'x'`,
  ])
  deepEqual(kinds(`curl "$URL" # it's`, 'sh'), ['keyword curl', 'string "$URL"', `comment # it's`])
})

test('an unknown language is one plain piece, and an unfinished string harms nothing', () => {
  deepEqual(tokensOf('new "x', 'klingon'), [{ kind: null, text: 'new "x' }])
  const long = `"${'\\'.repeat(100_001)}`
  equal(
    tokensOf(long, 'json')
      .map(({ text }) => text)
      .join(''),
    long,
  )
})
