import { offer } from './offer.ts'
import type { RunPlan, RunResult, ShelfPlan } from './plan.ts'
import { fillShelf, type Shelf } from './shelf.ts'

/** The process of the load generator: it signs requests on command and sends them on command, one command at a time. */
export type Request = { fill: ShelfPlan } | { run: RunPlan }
export type Reply = { filled: true } | { result: RunResult } | { failed: string }

const shelves = new Map<string, Shelf>()

process.on('message', async (request: Request) => {
  const reply = await answer(request).catch((error): Reply => ({ failed: String(error?.stack ?? error) }))
  process.send!(reply)
})
process.on('disconnect', () => process.exit())

async function answer(request: Request): Promise<Reply> {
  if ('fill' in request) {
    // The old one of that name is freed first: two are not needed, and they are large.
    shelves.delete(request.fill.shelf)
    shelves.set(request.fill.shelf, fillShelf(request.fill))
    return { filled: true }
  }
  return { result: await offer(request.run, shelves.get(request.run.shelf)!) }
}
