import assert from 'node:assert/strict'
import { test } from 'node:test'
import { constraints } from '../../../src/stores/postgres/constraints.ts'
import { awardTogether } from '../../support/award-together.ts'
import { anOrder } from '../../support/sqlite-ledger.ts'
import { makePartner } from '../../support/operators.ts'
import { aStoreLedger } from '../../support/store-ledger.ts'

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

/** Everything that PostgreSQL can add to a table by which it refuses rows, or changes of them. */
const refusing: [what: string, sql: string, named: string][] = [
  ['a unique index', 'CREATE UNIQUE INDEX more ON entries (partner_id, user_email)', 'index more on entries'],
  [
    'a second unique index with a name by which no award knows what it lost a race for',
    'CREATE UNIQUE INDEX more ON entries (partner_id, order_id)',
    'index more on entries',
  ],
  [
    'a unique index that is only called like the one of a REINDEX CONCURRENTLY',
    'CREATE UNIQUE INDEX entries_by_order_ccnew ON entries (tenant_id, order_id)',
    'index entries_by_order_ccnew on entries',
  ],
  [
    'a unique index with another collation',
    'CREATE UNIQUE INDEX more ON entries (partner_id, order_id COLLATE "POSIX")',
    'index more on entries',
  ],
  [
    'an index that must compute something',
    'CREATE INDEX more ON entries (partner_id, (1 / (points - 7)))',
    'index more on entries',
  ],
  [
    'an index of some rows',
    'CREATE INDEX more ON settings_version (version) WHERE 1 / (version - 7) > 0',
    'index more on settings_version',
  ],
  ['an index of texts without a limit', 'CREATE INDEX more ON entries (meta)', 'index more on entries'],
  [
    'an index of two long texts',
    'CREATE INDEX more ON entries (order_id) INCLUDE (note)',
    'index more on entries',
  ],
  [
    'a small index of texts without a limit',
    'CREATE INDEX more ON entries USING brin (meta)',
    'index more on entries',
  ],
  [
    'an index of a long text twice',
    'CREATE INDEX more ON entries (note) INCLUDE (note)',
    'index more on entries',
  ],
  [
    'an index of a long text of another kind than btree',
    'CREATE INDEX more ON entries USING brin (note)',
    'index more on entries',
  ],
  [
    'an index of another kind, which has limits of its own',
    'CREATE INDEX more ON entries USING brin (user_email text_bloom_ops, ep_transaction_id uuid_bloom_ops)',
    'index more on entries',
  ],
  [
    'an index of a short text many times',
    'CREATE INDEX more ON entries (note) INCLUDE (user_email, user_email, user_email)',
    'index more on entries',
  ],
  [
    'an index in an order of its own, whose function may fail',
    `CREATE FUNCTION compare(text, text) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT 1 / 0';
     CREATE OPERATOR CLASS failing FOR TYPE text USING btree AS FUNCTION 1 compare(text, text),
       OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >;
     CREATE INDEX more ON entries (user_email failing)`,
    'index more on entries',
  ],
  ['an index of long settings', 'CREATE INDEX more ON audit (before)', 'index more on audit'],
  [
    'an exclusion constraint',
    'ALTER TABLE accounts ADD CONSTRAINT more EXCLUDE USING btree (partner_id WITH =)',
    'constraint more on accounts',
  ],
  ['a check', 'ALTER TABLE entries ADD CONSTRAINT more CHECK (points < 1000)', 'constraint more on entries'],
  [
    'a check of settings',
    'ALTER TABLE partners ADD CONSTRAINT more CHECK (changed_in < 10)',
    'constraint more on partners',
  ],
  [
    'a unique constraint of settings',
    'ALTER TABLE grants ADD CONSTRAINT more UNIQUE (tenant_id, partner_id, per_tx)',
    'constraint more on grants',
  ],
  [
    'a table that refers to ours',
    'CREATE TABLE more (partner_id text, tenant_id text, CONSTRAINT more FOREIGN KEY (partner_id, tenant_id) REFERENCES grants)',
    'foreign key more on grants',
  ],
  [
    'a reference to another table',
    `CREATE TABLE more (name text PRIMARY KEY);
     ALTER TABLE keepsakes ADD CONSTRAINT more FOREIGN KEY (name) REFERENCES more NOT VALID`,
    'constraint more on keepsakes',
  ],
]
for (const [what, sql, named] of refusing) {
  test(`${what} that can refuse awards or changes is not sound, and is named`, async (t) => {
    const ledger = await aStoreLedger(t)
    await awardTogether(ledger.store.ledger, [anOrder('A1')])
    await ledger.raw.run(sql)
    const { sound, fault } = await ledger.verify()
    assert.equal(sound, false)
    assert.equal(
      fault,
      `the ${named} is not ours, and can refuse awards or changes: find out who made it, and drop it`,
    )
  })
}

for (const [column, change] of [
  ['meta of entries', 'entries ALTER meta SET STORAGE PLAIN'],
  ['seq of entries', 'entries ALTER seq ADD GENERATED ALWAYS AS IDENTITY'],
  ['points of user_days', 'user_days ALTER points ADD GENERATED ALWAYS AS IDENTITY'],
  ['version of settings_version', 'settings_version ALTER version ADD GENERATED ALWAYS AS IDENTITY'],
  ['tenant_id of grants', 'grants ALTER tenant_id TYPE text COLLATE "POSIX"'],
  ['status of partners', 'partners ALTER status TYPE text COLLATE "POSIX"'],
  ['created_at of partners', 'partners ALTER created_at ADD GENERATED ALWAYS AS IDENTITY'],
  [
    'per_tx of partners',
    'partners DROP per_tx, ADD per_tx bigint GENERATED ALWAYS AS (null) STORED CHECK (per_tx >= 0)',
  ],
  ['expires_at of keys', 'keys ALTER expires_at TYPE real'],
  ['set_at of default_caps', 'default_caps ALTER set_at SET NOT NULL'],
]) {
  test(`ALTER TABLE ${change}: a column that no longer takes every value is not sound`, async (t) => {
    const ledger = await aStoreLedger(t)
    await awardTogether(ledger.store.ledger, [anOrder('A1')])
    await ledger.raw.run(`ALTER TABLE ${change}`)
    const { sound, fault } = await ledger.verify()
    assert.equal(sound, false)
    assert.match(fault!, new RegExp(`^the column ${column} is not as the migrations made it`))
  })
}

test('a table without one of its constraints is not sound, and both are named', async (t) => {
  const ledger = await aStoreLedger(t)
  const found = async () =>
    (
      await ledger.raw.rows(
        'SELECT conrelid::regclass::text AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint',
      )
    ).map(({ name, definition }) => `${name} ADD ${definition}`)
  const ours = Object.entries(constraints).flatMap(([table, definitions]) =>
    definitions.map((definition) => ({ table, definition })),
  )
  for (const { table, definition } of ours) {
    await ledger.raw.run(`
      DO $$ BEGIN EXECUTE (
        SELECT format('ALTER TABLE ${table} DROP CONSTRAINT %I CASCADE', conname) FROM pg_constraint
        WHERE conrelid = '${table}'::regclass
          AND pg_get_constraintdef(oid) = ${quoted(definition)}); END $$`)
    const { fault } = await ledger.verify()
    assert.ok(fault?.startsWith(`${table} lacks its constraint ${definition}: `), String(fault))
    const left = await found()
    for (const lost of ours.map((one) => `${one.table} ADD ${one.definition}`))
      if (!left.includes(lost)) await ledger.raw.run(`ALTER TABLE ${lost}`)
  }
  assert.equal((await ledger.verify()).fault, null)
})

test('a column that somebody added to a table of settings is not sound: a new partner may not have it', async (t) => {
  const ledger = await aStoreLedger(t)
  await ledger.raw.run('ALTER TABLE partners ADD region text NOT NULL DEFAULT 0')
  assert.match((await ledger.verify()).fault!, /^the column region of partners is not ours/)
})

test('a new partner needs no default of a column, which somebody may have dropped', async (t) => {
  const ledger = await aStoreLedger(t)
  await ledger.raw.run('ALTER TABLE partners ALTER changed_in DROP DEFAULT')
  await makePartner(ledger.operator, { partnerId: 'newcomer' })
  assert.equal((await ledger.verify()).fault, null)
})

test('a table that is attached to another one as its partition, which refuses rows, is not sound', async (t) => {
  const ledger = await aStoreLedger(t)
  await awardTogether(ledger.store.ledger, [anOrder('A1')])
  await ledger.raw.run(`
    CREATE TABLE root (LIKE entries) PARTITION BY LIST (order_id);
    ALTER TABLE root ATTACH PARTITION entries FOR VALUES IN ('A1')`)
  assert.match((await ledger.verify()).fault!, /^the table entries .* is itself a part of another table/)
})

test('a trigger that pretends to be one of PostgreSQL or of Citus is not sound', async (t) => {
  const ledger = await aStoreLedger(t)
  await ledger.raw.run(`
    CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN OLD; END';
    CREATE TRIGGER more BEFORE UPDATE ON partners FOR EACH ROW EXECUTE FUNCTION keep();
    UPDATE pg_trigger SET tgisinternal = true WHERE tgname = 'more'`)
  assert.match((await ledger.verify()).fault!, /^the trigger more on partners is not ours/)
})

test('a ledger is sound with an index of an operator, which refuses nothing', async (t) => {
  const ledger = await aStoreLedger(t)
  await awardTogether(ledger.store.ledger, [anOrder('A1')])
  await ledger.raw.run('CREATE INDEX more ON entries (partner_id, awarded_at)')
  await ledger.raw.run('CREATE INDEX of_note ON entries (note text_pattern_ops, user_email DESC)')
  await ledger.raw.run('CREATE INDEX of_address ON audit (address, at)')
  await ledger.raw.run('CREATE INDEX of_password ON operators (password_hash)')
  await ledger.raw.run('CREATE INDEX of_meta ON entries USING hash (meta)')
  assert.deepEqual((await ledger.verify()).fault, null)
})

/** What REINDEX CONCURRENTLY builds beside an index, and leaves behind if it was cancelled. */
for (const [table, columns, name] of [
  ['entries', 'partner_id, order_id', 'entries_by_order_ccnew'],
  ['entries', 'partner_id, tenant_id, seq', 'entries_pkey_ccold'],
  ['user_days', 'tenant_id, user_email, day', 'user_days_pkey_ccnew1'],
  ['partners', 'partner_id', 'partners_pkey_ccnew'],
  ['keys', 'api_key_hash', 'keys_api_key_hash_key_ccold2'],
]) {
  test(`a ledger is sound with a second unique index ${name}, which refuses nothing more`, async (t) => {
    const ledger = await aStoreLedger(t)
    await awardTogether(ledger.store.ledger, [anOrder('A1')])
    await ledger.raw.run(`CREATE UNIQUE INDEX ${name} ON ${table} (${columns})`)
    assert.deepEqual((await ledger.verify()).fault, null)
  })
}
