import { test } from 'node:test'
import { assertNotSoundAfter } from '../support/not-sound-after.ts'

/** What only tables without their rules can hold. */
const changes: [what: string, sql: string, expected: RegExp][] = [
  [
    'a head whose tenant is bytes',
    'ALTER TABLE accounts ALTER COLUMN tenant_id TYPE bytea USING tenant_id::bytea',
    /^acme\/t1: has entries but no head/,
  ],
  [
    'an entry whose tenant is bytes',
    'ALTER TABLE entries ALTER COLUMN tenant_id TYPE bytea USING tenant_id::bytea',
    /^acme\/t1 #1 .* has a number where a text belongs/,
  ],
  [
    'an entry without a tenant',
    `ALTER TABLE entries DROP CONSTRAINT entries_pkey;
     ALTER TABLE entries ALTER COLUMN tenant_id DROP NOT NULL;
     ALTER TABLE entries DISABLE TRIGGER USER;
     UPDATE entries SET tenant_id = NULL`,
    /^acme\/null #1 .*: its hash does not match/,
  ],
]
for (const [what, sql, expected] of changes) {
  test(`${what} is not sound, and is named`, async (t) => {
    await assertNotSoundAfter(t, sql, expected)
  })
}
