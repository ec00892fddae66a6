import cluster from 'node:cluster'
import { setFlagsFromString } from 'node:v8'
import type { Command } from 'commander'
import { systemClock } from '../clock.ts'
import {
  type Config,
  ConfigError,
  type Environment,
  givenEnvironment,
  readConfig,
  readEnvironment,
  type SettingName,
  settings,
} from '../config.ts'
import type { RunningService } from '../serve.ts'
import { firstSteps } from './first-steps.ts'
import { answerPulse } from './pulse.ts'
import { askSupervisor } from './worker-metrics.ts'
import {
  ledgerOfWorkers,
  reportToSupervisor,
  sameSignalMs,
  superviseWorkers,
  workerDrainGraceMs,
  workersEndMaxMs,
} from './workers.ts'

/**
 * V8 lets the heap grow to several times the live data before it collects garbage. Ours mostly holds requests in flight,
 * which soon become garbage. With this limit the process is a tenth smaller and as fast (`npm run chaos`, overload).
 */
const heapGrowingPercent = 20

export function serveCommand(program: Command): void {
  const command = program
    .command('serve')
    .description('start the server; settings come from the environment, a .env file, or these flags')
    .option('--json', 'print the URLs as one JSON document')
  for (const [name, { default: value, about }] of Object.entries(settings)) {
    command.option(`--${kebab(name)} <value>`, `${about} (${name}${value === '' ? '' : `, ${value}`})`)
  }
  command.action(async (options: Record<string, string> & { json?: boolean }) => {
    const environment = cluster.isWorker ? givenEnvironment() : readEnvironment()
    const config = readConfig({ ...environment, ...flagsOf(options) })
    const service = await startOrExplain(() => serveOrSupervise(config, environment))
    // Before the URLs are printed, because a signal may be sent as soon as they are read.
    stopOnSignals(service, endOf(config))
    // Nobody may be there to read it, or the disk is full: that must not end a server.
    process.stdout.on('error', () => {})
    process.stderr.on('error', () => {})
    const { partnerUrl, operatorUrl } = service
    if (cluster.isWorker) reportToSupervisor(service)
    else if (options.json) console.log(JSON.stringify({ partnerUrl, operatorUrl }))
    else console.log(firstSteps({ ...service, database: config.database }))
  })
}

async function serveOrSupervise(config: Config, environment: Environment): Promise<RunningService> {
  setFlagsFromString(`--heap-growing-percent=${heapGrowingPercent}`)
  const isAlone = config.workers === 1 && cluster.isPrimary
  if (!isAlone && config.database.kind === 'sqlite') {
    throw new ConfigError([
      'WORKERS must be 1 on SQLite, where a ledger file has one server process. More need PostgreSQL',
    ])
  }
  if (!isAlone && cluster.isPrimary) {
    const { createLog } = await import('../log.ts')
    const { workers: count, logLevel } = config
    return superviseWorkers({ count, environment, log: createLog(logLevel, { processes: count }) })
  }
  if (!isAlone) answerPulse()
  // Imported here, so that the other commands and the supervisor do not load the web server.
  const { serve } = await import('../serve.ts')
  if (isAlone) return serve(config)
  const supervisor = askSupervisor()
  const database = await ledgerOfWorkers(config.database)
  const service = await serve(
    { ...config, database },
    {
      drainGraceMs: workerDrainGraceMs,
      otherProcesses: supervisor.others,
    },
  )
  supervisor.giveCounts(service.counted)
  return service
}

/** A port in use is the most common reason for a failed start, so it gets its own message. */
export async function startOrExplain<T>(start: () => Promise<T>): Promise<T> {
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

/** Longer than the last request and the last commit take, if disk and database respond. */
const stopMaxMs = 12_000

type End = { withinMs: number; signals: NodeJS.Signals[]; atOnce(): void }

const stopSignals: NodeJS.Signals[] = ['SIGINT', 'SIGTERM']

/** How to end a process that cannot finish its work. */
export function endOf({ database, workers }: Config): End {
  const atOnce = database.kind === 'sqlite' ? endWithThreads : () => process.exit(1)
  const withinMs = workers > 1 && cluster.isPrimary ? workersEndMaxMs : stopMaxMs
  // A terminal that is closed sends SIGHUP. To a supervisor it means a restart of its workers, which ignore it.
  const isAlone = workers === 1 && cluster.isPrimary
  const signals: NodeJS.Signals[] = isAlone ? [...stopSignals, 'SIGHUP'] : stopSignals
  return { withinMs, signals, atOnce }
}

/** `process.exit` waits for all threads, and a thread that waits for a hung disk never ends. */
function endWithThreads(): void {
  process.kill(process.pid, 'SIGKILL')
}

/**
 * The first signal lets accepted work finish; a second one, or the timeout, ends the process at once. That is safe:
 * unfinished work was never acknowledged.
 */
export function stopOnSignals(service: RunningService, { withinMs, signals, atOnce }: End): void {
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
  for (const signal of signals) process.on(signal, onSignal)
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
