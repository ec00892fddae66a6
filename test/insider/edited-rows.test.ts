import assert from 'node:assert/strict'
import { test } from 'node:test'
import { personalCommitment } from '../../src/rules/entry-hash.ts'
import { openReading } from '../../src/stores/open.ts'
import { verifyLedger } from '../../src/proof/verify.ts'
import { awardTogether } from '../support/award-together.ts'
import { onCitus, storeKind } from '../support/fresh-database.ts'
import { assertNotSoundAfter } from '../support/not-sound-after.ts'
import { anOrder } from '../support/sqlite-ledger.ts'
import { aStoreLedger, type StoreLedger } from '../support/store-ledger.ts'
import { exportOf } from '../support/transfers.ts'

const lan = 'lan@example.vn'
const thief = 'thief@example.vn'

/** Runs `tamper` without the triggers, and restores them afterwards. */
async function asInsider({ raw }: StoreLedger, tamper: () => Promise<void>): Promise<void> {
  const triggers = storeKind === 'sqlite' ? await raw.rows(sqliteTriggers) : []
  await raw.unlock()
  await tamper()
  for (const { sql } of triggers) await raw.run(String(sql))
  if (storeKind === 'postgres') await raw.run('ALTER TABLE entries ENABLE TRIGGER ALL')
}
const sqliteTriggers = "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'entries'"

function blob(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex')
  return storeKind === 'sqlite' ? `x'${hex}'` : `decode('${hex}', 'hex')`
}

test('an award moved to another user behind its true commitment is not sound, and is not exported', async (t) => {
  const ledger = await aStoreLedger(t)
  const award = anOrder('A1', { userEmail: lan })
  await awardTogether(ledger.store.ledger, [award])
  const commitment = blob(personalCommitment(award))
  await asInsider(ledger, async () => {
    await ledger.raw.run(
      `UPDATE entries SET salt = NULL, commitment = ${commitment}, user_email = '${thief}'`,
    )
    await ledger.raw.run(`UPDATE user_days SET user_email = '${thief}'`)
  })
  const { sound, fault } = await ledger.verify()
  assert.equal(sound, false)
  assert.match(fault!, /^acme\/t1 #1 .*: has no salt/)
  await assert.rejects(exportOf(ledger.database), /not sound: .*has no salt/)
})

test('an award to a user whose address no award can have is not sound, and is named', async (t) => {
  const ledger = await aStoreLedger(t)
  await awardTogether(ledger.store.ledger, [anOrder('A1', { userEmail: 'lân@example.vn' })])
  const { sound, fault } = await ledger.verify()
  assert.equal(sound, false)
  assert.match(fault!, /^acme\/t1 #1 .*: its user has an address that the service would refuse$/)
})

test('an account of a partner or a tenant that does not exist is not sound', async (t) => {
  const ledger = await aStoreLedger(t)
  await awardTogether(ledger.store.ledger, [anOrder('G1', { partnerId: 'globex', userEmail: lan })])
  for (const table of ['grants', 'keys', 'partners'])
    await ledger.raw.run(`DELETE FROM ${table} WHERE partner_id = 'globex'`)
  assert.equal((await ledger.verify()).fault, 'globex/t1: its partner or its tenant does not exist')
})

test('a head without entries is sound only if it is empty: a time in it would be the time of the next award', async (t) => {
  const ledger = await aStoreLedger(t)
  const in2100 = Date.UTC(2100, 0, 1)
  const heads = [
    [0, in2100, -in2100],
    [-1, 1, 0],
    [-1, 0, 1],
  ]
  for (const [seq, awardedAt, day] of heads) {
    await ledger.raw.run(`DELETE FROM accounts WHERE partner_id = 'acme' AND tenant_id = 't2'`)
    await ledger.raw.run(
      `INSERT INTO accounts (partner_id, tenant_id, seq, head_hash, awarded_at, day, day_points)
       VALUES ('acme', 't2', ${seq}, ${blob(new Uint8Array(32))}, ${awardedAt}, ${day}, 0)`,
    )
    const { sound, fault } = await ledger.verify()
    assert.deepEqual(
      { sound, fault },
      { sound: false, fault: `acme/t2: has a head at #${seq} but no entries` },
    )
  }
})

test('a head far beyond the last entry is found at once, and not looked for entry by entry', {
  timeout: 120_000,
}, async (t) => {
  const ledger = await aStoreLedger(t)
  await awardTogether(ledger.store.ledger, [anOrder('A1', { userEmail: lan })])
  await ledger.raw.run(`UPDATE accounts SET seq = 9007199254740000 WHERE partner_id = 'acme' AND seq = 1`)
  const { sound, fault } = await ledger.verify()
  const expected = 'acme/t1: ends at #1 where its head says #9007199254740000'
  assert.deepEqual({ sound, fault }, { sound: false, fault: expected })
})

/** Settings outside the range of our numbers: `verify` reports them and does not crash. */
const beyondNumbers = [
  'partners SET per_tx',
  'tenants SET per_user_day',
  'default_caps SET per_tx',
  'keys SET expires_at',
  'audit_head SET seq',
].map((place): [string, string, RegExp] => [
  `2^63 - 1 in ${place}`,
  `UPDATE ${place} = 9223372036854775807`,
  /cannot be read: .*9223372036854775807/,
])

const wrongVersions: [string, string, RegExp][] = [
  [
    'no version of the settings, by which servers notice a revoked key,',
    'DELETE FROM settings_version',
    /^settings_version has lost its row/,
  ],
  ...['9007199254740991', '9223372036854775807', '-1'].map((version): [string, string, RegExp] => [
    `the settings' version ${version}, which no change made,`,
    `UPDATE settings_version SET version = ${version}`,
    new RegExp(`^settings_version holds the version ${version}, which no change ever made`),
  ]),
]

const changes: Record<typeof storeKind, [string, string, RegExp][]> = {
  sqlite: [
    [
      'a dropped trigger',
      'DROP TRIGGER entries_are_never_deleted',
      /^the trigger entries_are_never_deleted is missing/,
    ],
    [
      'a trigger that does nothing',
      `DROP TRIGGER entries_are_never_changed;
       CREATE TRIGGER entries_are_never_changed BEFORE UPDATE ON entries BEGIN SELECT 1; END`,
      /^the trigger entries_are_never_changed is not as the migrations made it/,
    ],
    [
      'a trigger of somebody else',
      'CREATE TRIGGER more AFTER INSERT ON entries BEGIN UPDATE user_days SET points = 0; END',
      /^the trigger more on entries is not ours/,
    ],
    [
      'a trigger that keeps changes from the servers and is called like a table',
      `CREATE TRIGGER partners AFTER UPDATE OF changed_in ON partners
       BEGIN UPDATE partners SET changed_in = 0 WHERE partner_id = new.partner_id; END`,
      /^the trigger partners on partners is not ours/,
    ],
    [
      'a table without its constraints',
      `CREATE TABLE copy AS SELECT * FROM accounts; DROP TABLE accounts; ALTER TABLE copy RENAME TO accounts`,
      /^the table accounts is not as the migrations made it/,
    ],
    [
      'defaults beside those that are recorded',
      `PRAGMA ignore_check_constraints = ON;
       INSERT INTO default_caps SELECT 0, per_tx, per_partner_day, per_user_day, set_at FROM default_caps;
       UPDATE default_caps SET per_tx = 99999999 WHERE only_row = 1`,
      /^the default caps were made without an audit row/,
    ],
    [
      'defaults that no award finds',
      'PRAGMA ignore_check_constraints = ON; UPDATE default_caps SET only_row = 2',
      /^the default caps were removed without an audit row/,
    ],
    ...wrongVersions,
    ...beyondNumbers,
  ],
  postgres: [
    [
      'defaults that no award finds',
      `ALTER TABLE default_caps DROP CONSTRAINT default_caps_only_row_check;
       UPDATE default_caps SET only_row = 2;
       ALTER TABLE default_caps ADD CHECK (only_row = 1) NOT VALID;
       UPDATE pg_constraint SET convalidated = true WHERE conname = 'default_caps_only_row_check'`,
      /^the default caps were removed without an audit row/,
    ],
    [
      'a dropped trigger',
      'DROP TRIGGER entries_are_never_emptied ON entries',
      /^the trigger entries_are_never_emptied is missing/,
    ],
    [
      'a disabled trigger',
      'ALTER TABLE entries DISABLE TRIGGER entries_are_never_changed',
      /^the trigger entries_are_never_changed is disabled/,
    ],
    [
      'a trigger that fires only in a replica',
      'ALTER TABLE entries ENABLE REPLICA TRIGGER entries_are_never_changed',
      /^the trigger entries_are_never_changed is disabled/,
    ],
    [
      'a trigger that fires for deletes only',
      `DROP TRIGGER entries_are_never_changed ON entries;
       CREATE TRIGGER entries_are_never_changed BEFORE DELETE ON entries FOR EACH ROW EXECUTE FUNCTION refuse_change()`,
      /^the trigger entries_are_never_changed is not as the migrations made it/,
    ],
    [
      'a trigger whose function does nothing',
      `CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN new; END $$`,
      /^the function refuse_change, .* was changed/,
    ],
    [
      'a trigger of somebody else',
      `CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN new; END $$;
       CREATE TRIGGER more AFTER INSERT ON user_days FOR EACH ROW EXECUTE FUNCTION other()`,
      /^the trigger more on user_days is not ours/,
    ],
    [
      'orders that need not be unique',
      'ALTER TABLE entries DROP CONSTRAINT entries_by_order',
      /^entries lacks its constraint UNIQUE \(partner_id, order_id\)/,
    ],
    ...['indisvalid', 'indisready', 'indisunique', 'indimmediate'].map((part): [string, string, RegExp] => [
      `an index that is not ${part}`,
      `UPDATE pg_index SET ${part} = false WHERE indexrelid = 'entries_by_order'::regclass`,
      /^the constraint UNIQUE \(partner_id, order_id\) of entries is not valid/,
    ]),
    [
      'orders that are compared by the rules of a language',
      'ALTER TABLE entries ALTER COLUMN order_id TYPE text COLLATE "default"',
      /^the column order_id of entries is not as the migrations made it/,
    ],
    [
      'an entry that may lack its hash',
      'ALTER TABLE entries ALTER COLUMN hash DROP NOT NULL',
      /^the column hash of entries is not as the migrations made it/,
    ],
    [
      'a trigger that keeps changes from the nodes',
      `CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.changed_in := old.changed_in; RETURN new; END $$;
       CREATE TRIGGER more BEFORE UPDATE ON partners FOR EACH ROW EXECUTE FUNCTION other()`,
      /^the trigger more on partners is not ours/,
    ],
    ...['citus_more', 'tenant_mode_is_never_changed', '"constructor"'].map(
      (name): [string, string, RegExp] => [
        `a trigger that keeps changes from the nodes and is called ${name}`,
        `CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN old; END $$;
         CREATE TRIGGER ${name} BEFORE UPDATE ON settings_version FOR EACH ROW EXECUTE FUNCTION other()`,
        /^the trigger \w+ on settings_version is not ours/,
      ],
    ),
    [
      'a number of the last change that is rounded, which keeps changes from the nodes,',
      'ALTER TABLE partners ALTER COLUMN changed_in TYPE numeric(10, -3)',
      /^the column changed_in of partners is not as the migrations made it/,
    ],
    [
      'a trigger in a partition, which keeps changes from the nodes,',
      `ALTER TABLE settings_version RENAME TO part;
       CREATE TABLE settings_version (LIKE part) PARTITION BY LIST (only_row);
       ALTER TABLE settings_version ATTACH PARTITION part FOR VALUES IN (1);
       CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN old; END $$;
       CREATE TRIGGER more BEFORE UPDATE ON part FOR EACH ROW EXECUTE FUNCTION other()`,
      /^the table settings_version is missing, or is no table any more/,
    ],
    [
      'a view in the place of a table',
      'ALTER TABLE partners RENAME TO hidden; CREATE VIEW partners AS SELECT * FROM hidden',
      /^the table partners is missing, or is no table any more/,
    ],
    [
      'a rule that drops audit rows',
      'CREATE RULE more AS ON INSERT TO audit DO INSTEAD NOTHING',
      /^the table audit has rules, /,
    ],
    [
      'a child table with defaults of its own',
      'CREATE TABLE child () INHERITS (default_caps); INSERT INTO child VALUES (1, 9, 9, 9, 9)',
      /^the table default_caps has rules, .*child tables/,
    ],
    [
      'a table that a crash empties',
      // Citus refuses it for the table, but it can be done to its shards.
      onCitus
        ? "SELECT run_command_on_shards('entries', 'ALTER TABLE %s SET UNLOGGED')"
        : 'ALTER TABLE entries SET UNLOGGED',
      onCitus
        ? /^the shard entries_\d+ on \S+: the table entries is unlogged/
        : /^the table entries is unlogged/,
    ],
    ['no defaults', 'DELETE FROM default_caps', /^the default caps were removed without an audit row/],
    [
      'two defaults',
      `UPDATE pg_index SET indisready = false WHERE indexrelid = 'default_caps_pkey'::regclass;
       INSERT INTO default_caps SELECT * FROM default_caps;
       UPDATE pg_index SET indisready = true WHERE indexrelid = 'default_caps_pkey'::regclass`,
      /^the default caps were made without an audit row/,
    ],
    ...wrongVersions,
    ...beyondNumbers,
  ],
}
for (const [what, sql, expected] of changes[storeKind]) {
  test(`${what} is not sound, although every entry holds, and is named`, async (t) => {
    await assertNotSoundAfter(t, sql, expected)
  })
}

test('a ledger that grows while it is verified in short snapshots is sound, and what was there at first is proved', async (t) => {
  const { store, database, clock } = await aStoreLedger(t)
  let sent = 0
  const award = () =>
    awardTogether(
      store.ledger,
      Array.from({ length: 40 }, () => {
        const n = ++sent
        const partnerId = n % 4 === 0 ? 'globex' : 'acme'
        const tenantId = n % 4 === 1 ? 't2' : 't1'
        return anOrder(`order-${n}`, { partnerId, tenantId, userEmail: `user${n % 9}@example.vn` })
      }),
    )
  for (let round = 0; round < 5; round++) {
    await award()
    clock.advance(20_000_000) // so that days end meanwhile
  }
  const atFirst = sent
  const ledger = await openReading(database)
  try {
    // Awards are made between any two pages, and between the last page and the last snapshot.
    const growing = {
      ...ledger,
      entryPass() {
        const pass = ledger.entryPass()
        return async function* readOn() {
          for await (const page of pass()) {
            yield page
            if (sent < 600) await award()
          }
        }
      },
      async *userDaysOf(days: { from?: number; before?: number }) {
        for await (const chunk of ledger.userDaysOf(days)) {
          yield chunk
          if (sent < 1200) {
            clock.advance(sent % 3 === 0 ? -90_000_000 : 50_000_000)
            await award()
          }
        }
      },
    }
    const { sound, fault, entries } = await verifyLedger(growing, () => {})
    assert.deepEqual({ sound, fault }, { sound: true, fault: null })
    assert.ok(entries > atFirst && entries <= sent, `${atFirst} < ${entries} <= ${sent}`)
  } finally {
    await ledger.close()
  }
})
