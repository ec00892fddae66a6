import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { prefersHtml } from './prefers-html.ts'

const browsers = [
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
  'text/html, */*; q=0.01',
  'application/json;q=0.5, text/html',
]

const programs = [
  undefined,
  '',
  '*/*',
  'application/json',
  'application/json, text/plain, */*',
  'application/problem+json, text/html;q=0.9',
  'application/json, text/html',
  'text/html;q=0',
  'text/html;q=2',
  'text/html;q=x',
  'text/htmlx',
  'text/*',
]

test('JSON for an Accept header that is longer than any browser sends', () => {
  equal(prefersHtml(`text/html${', text/plain'.repeat(50)}`), true)
  equal(prefersHtml(`text/html${','.repeat(1000)}`), false)
})
for (const accept of browsers)
  test(`a page for Accept: ${accept}`, () => {
    equal(prefersHtml(accept), true)
  })
for (const accept of programs)
  test(`JSON for Accept: ${accept}`, () => {
    equal(prefersHtml(accept), false)
  })
