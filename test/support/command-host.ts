import { getPriority, setPriority } from 'node:os'
import { run } from '../../src/cli/run.ts'
import { eventually } from './eventually.ts'

/**
 * A process that runs commands of the operator's command line, one after the other: to start a process takes twenty times
 * as long as most commands. No module keeps state (the tidiness test), so a command does not notice the ones before it. A
 * command that leaves something open, which would keep a process of its own from ending, is reported.
 */
export type HostedCommand = { args: string[]; cwd: string; env: Record<string, string | undefined> }
/** `isSpent`: it runs at a low priority now, and no other command may. */
export type HostedResult = { code: number; stdout: string; stderr: string; isSpent: boolean }

const priority = getPriority()
const { now } = Date
let before = Promise.resolve()

process.on('message', (command: HostedCommand) => {
  before = before.then(async () => {
    const result = await runHere(command)
    process.send!(result)
  })
})
process.on('disconnect', () => process.exit())

async function runHere({ args, cwd, env }: HostedCommand): Promise<HostedResult> {
  process.chdir(cwd)
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  Date.now = env.FIXED_CLOCK_MS === undefined ? now : () => Number(env.FIXED_CLOCK_MS)
  process.stdout.isTTY = process.stderr.isTTY = false
  const open = openNow()
  const [stdout, stderr] = [taken(process.stdout), taken(process.stderr)]
  try {
    await run(args)
    const isClosed = () => [...openNow()].every(([kind, number]) => number <= (open.get(kind) ?? 0))
    await eventually(`${args.join(' ')} has closed everything: ${[...openNow().keys()]}`, isClosed)
  } finally {
    for (const { giveBack } of [stdout, stderr]) giveBack()
  }
  const code = Number(process.exitCode ?? 0)
  process.exitCode = undefined
  return { code, stdout: stdout.text(), stderr: stderr.text(), isSpent: !hasPriority() }
}

/** Only root may raise it again. */
function hasPriority(): boolean {
  try {
    setPriority(priority)
  } catch {}
  return getPriority() === priority
}

/** What would keep a process from ending, by kind. */
function openNow(): Map<string, number> {
  const open = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) open.set(kind, (open.get(kind) ?? 0) + 1)
  return open
}

/** What is written to it is kept instead. */
function taken(stream: NodeJS.WriteStream) {
  const { write } = stream
  let text = ''
  stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    const done = rest.at(-1)
    if (typeof done === 'function') process.nextTick(done)
    return true
  }) as typeof write
  return {
    text: () => text,
    giveBack() {
      stream.write = write
      stream.removeAllListeners('error')
    },
  }
}
