import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { statementsOf } from './migrate.ts'

test('a migration is taken apart at the semicolons that end a statement, and at no other', () => {
  const sql = `-- The caps; nobody's.
CREATE TABLE caps (id integer CHECK (id = 1)); -- one row
INSERT INTO caps VALUES ('a;b');
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'no';
END $$;

-- The end.
`
  deepEqual(
    statementsOf(sql).map((text) => text.replaceAll(/--.*$/gm, '').trim()),
    [
      'CREATE TABLE caps (id integer CHECK (id = 1))',
      "INSERT INTO caps VALUES ('a;b')",
      "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$\nBEGIN\n  RAISE EXCEPTION 'no';\nEND $$",
    ],
  )
})
