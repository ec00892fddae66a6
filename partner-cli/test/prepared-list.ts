import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { anOrder, startLive } from '../../sdk/test/live-service.ts'
import { temporaryFolder } from '../../test/support/service.ts'
import { environmentOf, runCommand } from './command-line.ts'

const header = 'order,email,amount'

/** A service with some credited orders, and the command that reconciles a list with them. */
export async function preparedList(
  t: TestContext,
  credited: string[],
  list: string[],
  user: { userEmail?: string } = {},
) {
  const live = await startLive(t)
  for (const orderId of credited) await live.credit.award(anOrder({ orderId, amount: 5000, ...user }))
  const path = join(temporaryFolder(t), 'orders.csv')
  const write = (rows: string[]) => writeFileSync(path, [header, ...rows, ''].join('\n'))
  write(list)
  const reconcile = (
    options: string[],
    { answer, url }: { answer?: string | (() => string); url?: string } = {},
  ) =>
    runCommand(
      ['reconcile', path, '--tenant', 't1', ...options, ...(url === undefined ? [] : ['--url', url])],
      {
        environment: environmentOf(live),
        ...(answer === undefined ? {} : { answer }),
      },
    )
  /** Those that the test did not credit itself. */
  const sent = async () => {
    const awards = await Array.fromAsync(live.credit.awards({ tenantId: 't1' }))
    return awards
      .filter(({ orderId }) => !credited.includes(orderId!))
      .map(({ orderId, userEmail, points }) => `${orderId} ${userEmail} ${points}`)
      .toReversed()
  }
  return { live, write, reconcile, sent }
}
