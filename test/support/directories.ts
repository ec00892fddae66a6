import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openKeyDirectory } from '../../src/access/key-directory.ts'
import { aMasterKey, anOperator, makePartner } from './operators.ts'
import { temporaryFolder } from './service.ts'

/** A directory on one connection, an operator on another, and a clock that the test moves. */
export async function aDirectory(test: TestContext) {
  test.mock.timers.enable({ apis: ['setInterval'] })
  const path = join(temporaryFolder(test), 'ledger.db')
  const operator = anOperator(test, path)
  const acme = await makePartner(operator)
  const errors: unknown[] = []
  const { store: source } = anOperator(test, path)
  const keys = await openKeyDirectory(source, aMasterKey, (error) => errors.push(error))
  test.after(() => keys.close())
  async function aSecondPasses(): Promise<void> {
    for (let step = 0; step < 4; step++) {
      test.mock.timers.tick(250)
      await nextTurn()
    }
  }
  return { path, operator, acme, keys, errors, aSecondPasses }
}
