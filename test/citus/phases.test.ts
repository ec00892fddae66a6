import { deepEqual, equal } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { systemClock } from '../../src/clock.ts'
import { batchesOnCitus } from '../../src/stores/postgres/citus/batches.ts'
import { noShardMap } from '../../src/stores/postgres/citus/shard-map.ts'
import { prepareCommit } from '../../src/stores/postgres/commit.ts'
import { openPool } from '../../src/stores/postgres/database.ts'
import { aCitusLedger } from '../support/citus-ledger.ts'
import { citusUrl } from '../support/citus-database.ts'
import { anOrder } from '../support/sqlite-ledger.ts'

const awards = 64

if (citusUrl !== undefined) {
  describe('a batch of awards', async () => {
    const ledger = await aCitusLedger({ after })
    const account = await accountsByWorkers()

    test('commits in one phase, if its users are on the worker of its account', async (t) => {
      const commands = await commandsOf(account.onOneWorker)
      t.diagnostic(`commands to the worker: ${commands.length}, for ${awards} awards`)
      equal(commands.length, 7, commands.join('\n'))
      equal(commands.filter(isOf('COMMIT')).length, 1)
      deepEqual(commands.filter(isOf('PREPARE TRANSACTION', 'COMMIT PREPARED')), [])
    })

    test('commits in two phases, if they are on another worker', async (t) => {
      const commands = await commandsOf(account.onTwoWorkers)
      t.diagnostic(`commands to the workers: ${commands.length}, for ${awards} awards`)
      equal(commands.length, 11, commands.join('\n'))
      equal(commands.filter(isOf('PREPARE TRANSACTION')).length, 2)
      equal(commands.filter(isOf('COMMIT PREPARED')).length, 2)
    })

    /** What the coordinator sends to its workers for a batch of one account, half of whose users have a counter. */
    async function commandsOf(id: { partnerId: string; tenantId: string }): Promise<string[]> {
      const logged = Object.assign(new URL(ledger.url), {
        search: '?options=-c citus.log_remote_commands=on',
      })
      const pool = openPool(logged.href, { connectionsMax: 1 })
      const commands: string[] = []
      pool.on('connect', (client) =>
        client.on('notice', ({ message }) => {
          const [, command] = /^issuing ([\s\S]*)$/.exec(message ?? '') ?? []
          if (command !== undefined) commands.push(command)
        }),
      )
      const commit = prepareCommit(pool, { batches: batchesOnCitus(noShardMap), clock: systemClock })
      const batch = (name: string, firstUser: number) =>
        Array.from({ length: awards }, (_, n) =>
          anOrder(`${id.tenantId}-${name}-${n}`, { ...id, userEmail: `user${firstUser + n}@example.vn` }),
        )
      try {
        await commit(batch('first', 0))
        commands.length = 0
        for (const { kind } of await commit(batch('second', awards / 2))) equal(kind, 'credited')
        return commands
      } finally {
        await pool.end()
      }
    }

    async function accountsByWorkers() {
      const workerOf = async (table: string, value: string) => (await ledger.shardOf(table, value)).url
      const ofPartner = await workerOf('accounts', 'partner0')
      const tenants = ['t1', 't2', 't3', 't4']
      const ofTenants = await Promise.all(tenants.map((tenant) => workerOf('user_days', tenant)))
      const tenantId = (isSame: boolean) =>
        tenants[ofTenants.findIndex((worker) => (worker === ofPartner) === isSame)]!
      return {
        onOneWorker: { partnerId: 'partner0', tenantId: tenantId(true) },
        onTwoWorkers: { partnerId: 'partner0', tenantId: tenantId(false) },
      }
    }
  })
}

function isOf(...verbs: string[]): (command: string) => boolean {
  return (command) => verbs.some((verb) => command === verb || command.startsWith(`${verb} '`))
}
