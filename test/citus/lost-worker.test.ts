import { after, describe, test } from 'node:test'
import { aCitusLedger } from '../support/citus-ledger.ts'
import { eventually } from '../support/eventually.ts'
import { citusUrl } from '../support/fresh-citus.ts'
import { assertUnavailable } from '../support/problem-assertions.ts'
import { startSmallNode } from '../support/small-node.ts'

if (citusUrl !== undefined) {
  describe('while a worker of a Citus cluster is away', async () => {
    const nodeCleanUp = new AsyncDisposableStack()
    const ledger = await aCitusLedger({
      after: (close) =>
        after(async () => {
          await nodeCleanUp.disposeAsync()
          await close()
        }),
    })
    const { url, workers } = ledger
    const node = await startSmallNode({ after: (close) => nodeCleanUp.defer(async () => close()) }, url, {
      answerMaxMs: 8_000,
    })
    const { acme } = node
    const credits = async () => (await acme.award()).status === 202
    const withinMs = 60_000

    test('an award is 503 with Retry-After, not a bug, and is credited when the worker is back', async () => {
      await eventually('the first award', credits, { withinMs })
      for (const worker of workers) worker.goAway()
      for (let order = 0; order < 3; order++) assertUnavailable(await acme.award())
      for (const worker of workers) worker.comeBack()
      await eventually('an award is credited', credits, { withinMs })
    })
  })
}
