import cluster from 'node:cluster'
import { setFlagsFromString } from 'node:v8'
import type { Command } from 'commander'
import { systemClock } from '../clock.ts'
import {
  type Config,
  ConfigError,
  type Environment,
  readConfig,
  readEnvironment,
  type SettingName,
  settings,
} from '../config.ts'
import type { RunningService } from '../serve.ts'
import { firstSteps } from './first-steps.ts'
import { reportToSupervisor, superviseWorkers, workerDrainGraceMs, workersEndMaxMs } from './workers.ts'

/**
 * V8 lets a heap grow to several times what lives in it before it is swept. Ours holds requests in flight, which are
 * soon garbage: swept at this much more than what lives, the process is a tenth smaller and as fast (chaos overload).
 */
const heapGrowingPercent = 20

export function serveCommand(program: Command): void {
  const command = program
    .command('serve')
    .description('serve partners; settings come from the environment, a .env file, or these flags')
    .option('--json', 'print where it serves as one JSON document')
  for (const [name, { default: value, about }] of Object.entries(settings)) {
    command.option(`--${kebab(name)} <value>`, `${about} (${name}${value === '' ? '' : `, ${value}`})`)
  }
  command.action(async (options: Record<string, string> & { json?: boolean }) => {
    const config = readConfig({ ...readEnvironment(), ...flagsOf(options) })
    const service = await startOrExplain(() => serveOrSupervise(config))
    // Before anyone is told where it serves: whoever has read that may send a signal.
    stopOnSignals(service, endOf(config))
    const { partnerUrl, operatorUrl } = service
    if (cluster.isWorker) reportToSupervisor(service)
    else if (options.json) console.log(JSON.stringify({ partnerUrl, operatorUrl }))
    else console.log(firstSteps({ ...service, database: config.database }))
  })
}

async function serveOrSupervise(config: Config): Promise<RunningService> {
  setFlagsFromString(`--heap-growing-percent=${heapGrowingPercent}`)
  // Only now: the other commands would wait for a web server that they do not need.
  const { createLog, serve } = await import('../serve.ts')
  if (config.workers === 1 && cluster.isPrimary) return serve(config)
  if (config.database.kind === 'sqlite') {
    throw new ConfigError([
      'WORKERS must be 1 on SQLite: a ledger file has one server; several share a PostgreSQL',
    ])
  }
  return cluster.isWorker
    ? serve(config, { drainGraceMs: workerDrainGraceMs })
    : superviseWorkers(config.workers, createLog())
}

/** A port in use is the most common failure of a start: say so in words. */
export async function startOrExplain(start: () => Promise<RunningService>): Promise<RunningService> {
  try {
    return await start()
  } catch (error) {
    const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number }
    if (code !== 'EADDRINUSE') throw error
    throw new Error(
      `port ${port} of ${address} is in use: stop the other program, or set PORT and OPERATOR_PORT`,
    )
  }
}

/** One Ctrl-C can reach us twice, from the terminal and from the launcher. */
const sameSignalMs = 500
/** Longer than the last request in flight and the last award take, where disk and database still answer. */
const stopMaxMs = 12_000

type End = { withinMs: number; atOnce(): void }

/** How a process ends that cannot finish its work. */
export function endOf({ database, workers }: Config): End {
  const atOnce = database.kind === 'sqlite' ? endWithThreads : () => process.exit(1)
  return { withinMs: workers > 1 && cluster.isPrimary ? workersEndMaxMs : stopMaxMs, atOnce }
}

/** `process.exit` would wait for all threads, and one that waits for a disk which does not answer never ends. */
function endWithThreads(): void {
  process.kill(process.pid, 'SIGKILL')
}

/**
 * The first signal lets accepted work finish; a second one does not wait, nor do we wait for ever: nothing that is
 * unfinished has been acknowledged.
 */
export function stopOnSignals(service: RunningService, { withinMs, atOnce }: End): void {
  let stoppingSince: number | undefined
  const onSignal = () => {
    const now = systemClock.elapsed()
    if (stoppingSince !== undefined) {
      if (now - stoppingSince > sameSignalMs) atOnce()
      return
    }
    stoppingSince = now
    setTimeout(() => {
      const late = `not stopped within ${withinMs / 1000} s, still ${service.unfinished()}`
      console.error(`partner-credit: ${late}; exiting anyway: every acknowledged award is durable`)
      atOnce()
    }, withinMs)
    service.stop().then(
      () => process.exit(0),
      (error) => {
        console.error(`partner-credit: ${error instanceof Error ? error.message : error}`)
        process.exit(1)
      },
    )
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, onSignal)
}

function kebab(name: string): string {
  return name.toLowerCase().replaceAll('_', '-')
}

function flagsOf(options: Record<string, unknown>): Environment {
  const names = Object.keys(settings) as SettingName[]
  const camel = (name: string) => kebab(name).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  const given = names.filter((name) => options[camel(name)] !== undefined)
  return Object.fromEntries(given.map((name) => [name, String(options[camel(name)])]))
}
