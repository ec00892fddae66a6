import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { localUrl } from './local-url.ts'

test('the URL of the partner API is one that a program on this machine can reach', () => {
  equal(localUrl({ host: '127.0.0.1', port: 8080 }), 'http://127.0.0.1:8080')
  equal(localUrl({ host: '0.0.0.0', port: 9000 }), 'http://127.0.0.1:9000')
  equal(localUrl({ host: '::', port: 9000 }), 'http://[::1]:9000')
  equal(localUrl({ host: 'fd00::7', port: 9000 }), 'http://[fd00::7]:9000')
  equal(localUrl({ host: 'credit.internal', port: 9000 }), 'http://credit.internal:9000')
  equal(localUrl({ host: '127.0.0.1', port: 0 }), null, 'known only to the running server')
})
