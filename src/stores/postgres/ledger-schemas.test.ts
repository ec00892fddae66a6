import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { namesOf } from './ledger-schemas.ts'

test('the schemas of a search_path are read as PostgreSQL reads them', () => {
  const paths: [string, string[]][] = [
    ['"$user", public', ['ann', 'public']],
    ['Ledger,"Ledger, ""live"""', ['ledger', 'Ledger, "live"']],
    ['""', ['']],
    ['ÄLT, "ÄLT"', ['Ält', 'ÄLT']],
    [`${'ä'.repeat(32)}, ${'B'.repeat(64)}`, ['ä'.repeat(31), 'b'.repeat(63)]],
    ['', []],
  ]
  for (const [path, names] of paths) deepEqual(namesOf(path, 'ann'), names)
})
