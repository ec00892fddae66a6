import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { madeFiles, madePaths } from './made-files.ts'

test('what is made is what the routes are for', async () => {
  deepEqual(new Set((await madeFiles()).keys()), new Set(madePaths()))
})
