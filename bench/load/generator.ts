import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Reply, Request } from './generator-process.ts'
import type { RunPlan, RunResult, ShelfPlan } from './plan.ts'

/** The load generator, in its own process, so that its costs can be measured separately. */
export type Generator = {
  fill(plan: ShelfPlan): Promise<void>
  run(plan: RunPlan): Promise<RunResult>
  close(): Promise<void>
}

export async function startGenerator(): Promise<Generator> {
  const child = fork(new URL('./generator-process.ts', import.meta.url))
  const ended = once(child, 'exit')

  async function ask(request: Request): Promise<Reply> {
    child.send(request)
    const gone = ended.then(([code]) => Promise.reject(new Error(`the generator ended with ${code}`)))
    const [reply] = (await Promise.race([once(child, 'message'), gone])) as [Reply]
    if ('failed' in reply) throw new Error(`the generator failed: ${reply.failed}`)
    return reply
  }

  return {
    fill: async (plan) => void (await ask({ fill: plan })),
    run: async (plan) => ((await ask({ run: plan })) as { result: RunResult }).result,
    async close() {
      child.disconnect()
      await ended
    },
  }
}
