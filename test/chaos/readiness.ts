import { send } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import type { ServerProcess } from '../support/server-process.ts'

/** Long enough for any machine: a node that is not ready by then never will be. */
const readyMaxMs = 30_000

async function isReady({ url }: ServerProcess): Promise<boolean> {
  return send(`${url}/readyz`).then(
    ({ status }) => status === 200,
    () => false,
  )
}

/** How long it took in ms until every node was ready without a restart; null: never. */
export async function untilReady(nodes: ServerProcess[]): Promise<number | null> {
  const since = performance.now()
  const ready = nodes.map((node) => eventually('ready again', () => isReady(node), { withinMs: readyMaxMs }))
  return Promise.all(ready).then(
    () => Math.round(performance.now() - since),
    () => null,
  )
}

/** What a node reports may be a second old (I33); a busy machine gets more time. */
const notReadyMaxMs = 3_000

/** Whether every node says in time that it is not ready. */
export async function areSoonNotReady(nodes: ServerProcess[]): Promise<boolean> {
  const none = async () => !(await Promise.all(nodes.map(isReady))).includes(true)
  return eventually('no node is ready', none, { withinMs: notReadyMaxMs }).then(
    () => true,
    () => false,
  )
}
