import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { systemClock } from '../../src/clock.ts'
import { runSql } from '../support/fresh-database.ts'
import { citusUrl } from '../support/citus-database.ts'
import { freshCitus } from '../support/fresh-citus.ts'
import { aCitusLedger } from '../support/citus-ledger.ts'
import { makePartner } from '../support/operators.ts'
import { anOrder } from '../support/sqlite-ledger.ts'
import { databaseOf, exportOf, importInto, rawDump } from '../support/transfers.ts'

const runs = 10

if (citusUrl !== undefined) {
  describe('on Citus, while awards are made', async () => {
    const ledger = await aCitusLedger({ after })
    const { database, verify } = ledger

    test('verify sees one instant of all nodes: it never reports a fault that is none', async () => {
      const load = ledger.startLoad()
      const faults: (string | null)[] = []
      let entries = 0
      for (let run = 0; run < runs; run++) {
        const verification = await verify()
        faults.push(verification.fault)
        ok(verification.entries > entries, 'awards went on meanwhile')
        entries = verification.entries
      }
      const { failures } = await load.stop()
      deepEqual(
        faults,
        faults.map(() => null),
      )
      deepEqual(failures, [], 'no award was refused because of it')
    })

    test('an export is of one instant, too, and can be imported into a distributed database', async (t) => {
      const load = ledger.startLoad()
      const file = await exportOf(database)
      await load.stop()
      const [first, second] = [await freshCitus(), await freshCitus()]
      t.after(first.remove)
      t.after(second.remove)
      const target = databaseOf(first.url)
      const { verification } = await importInto(target, file)
      equal(verification.fault, null)
      ok(verification.entries > 100)
      equal(await exportOf(target), file, 'exported again, it is the same file')

      const all = await exportOf(database)
      await importInto(databaseOf(second.url), all)
      equal(await rawDump(databaseOf(second.url)), await rawDump(database))
    })

    // Of an account that the load does not touch, so that the change can be undone.
    const quiet = { partnerId: 'quiet', tenantId: 'silent' }
    for (const [what, table, by, change, undo, expected] of [
      ['a counter', 'user_days', quiet.tenantId, 'points = points + 1', 'points = points - 1', /add up to/],
      [
        'a head',
        'accounts',
        quiet.partnerId,
        'day_points = day_points + 1',
        'day_points = day_points - 1',
        /day counter/,
      ],
      ['an entry', 'entries', quiet.partnerId, "order_id = 'other'", "order_id = 'mine'", /its hash/],
    ] as const) {
      test(`${what} that was changed on a shard is found, also then`, async () => {
        const { partnerId, tenantId } = quiet
        const operator = { store: ledger.store.partners, actor: 'test', now: systemClock.now() }
        if ((await ledger.store.partners.partners()).every((partner) => partner.partnerId !== partnerId))
          await makePartner(operator, { partnerId, name: partnerId, tenants: [tenantId] })
        await ledger.store.ledger.award(anOrder('mine', quiet))

        const shard = await ledger.shardOf(table, by)
        const where = table === 'user_days' ? `tenant_id = '${by}'` : `partner_id = '${by}'`
        const tamper = (assignment: string) =>
          runSql(
            shard.url,
            `SET citus.enable_manual_changes_to_shards = on; SET session_replication_role = replica;
             UPDATE ${shard.name} SET ${assignment} WHERE ${where}`,
          )
        const load = ledger.startLoad()
        await tamper(change)
        const { sound, fault } = await verify()
        await load.stop()
        equal(sound, false)
        match(fault!, expected)
        await tamper(undo)
        equal((await verify()).fault, null)
      })
    }

    for (const [table, by, value] of [
      ['user_days', 'tenant_id', 't1'],
      ['accounts', 'partner_id', 'partner0'],
      ['entries', 'partner_id', 'partner0'],
    ] as const) {
      test(`rows of ${table} that were moved to another shard are found, before awards miss them`, async () => {
        const award = { partnerId: 'partner0', tenantId: 't1' }
        await ledger.store.ledger.award(anOrder(`moved-${table}`, award))
        const { url, name } = await ledger.shardOf(table, value)
        const [, own] = name.match(/_(\d+)$/)!
        const others = await runSql(
          ledger.url,
          `SELECT shard_name(logicalrelid, shardid) AS name FROM pg_dist_shard JOIN pg_dist_placement USING (shardid)
           WHERE logicalrelid = '${table}'::regclass AND shardid <> ${own}
             AND groupid = (SELECT groupid FROM pg_dist_placement WHERE shardid = ${own})`,
        )
        const other = others[0].name
        const move = (from: string, to: string) =>
          runSql(
            url,
            `SET citus.enable_manual_changes_to_shards = on; SET session_replication_role = replica;
             INSERT INTO ${to} SELECT * FROM ${from} WHERE ${by} = '${value}'; DELETE FROM ${from} WHERE ${by} = '${value}'`,
          )
        await move(name, other)
        const { sound, fault } = await verify()
        await move(other, name)
        equal(sound, false)
        match(
          fault!,
          new RegExp(`the shard ${other} on .*: has rows of ${value}, which belong on another shard`),
        )
        equal((await verify()).fault, null)
      })
    }
  })
}
