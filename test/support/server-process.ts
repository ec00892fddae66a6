import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** The service as its operator runs it: a separate process, which can be killed. */
export type ServerProcess = {
  pid: number
  url: string
  operatorUrl: string
  /** Every line of the log so far. */
  log: string[]
  /** Every line for people so far. */
  printed: string[]
  signal(signal: NodeJS.Signals): void
  /** Sends a signal and waits for the end; returns the exit code, or null if the signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>
  /** The exit code, when it and all processes that it started have ended. */
  allGone: Promise<number | null>
}

const ourLauncher = new URL('../../bin/partner-credit.js', import.meta.url).pathname

/** With a log file, the log goes there and is not kept here. */
export async function startServerProcess(
  environment: Record<string, string>,
  {
    args = [],
    cwd = '.',
    launcher = ourLauncher,
    logFile,
    limit,
    under = [],
  }: {
    args?: string[]
    cwd?: string
    launcher?: string
    logFile?: string
    /** For `ulimit`: `-f 100`, no file can grow beyond 100 blocks of 512 bytes; `-n 100`, no more files can be open. */
    limit?: string
    /** A program that starts it, with its arguments. */
    under?: string[]
  } = {},
): Promise<ServerProcess> {
  const command = [...under, process.execPath, launcher, 'serve', '--json', ...args]
  const limited = ['sh', '-c', `ulimit ${limit} && exec "$@"`, 'sh', ...command]
  const [program, ...given] = limit === undefined ? command : limited
  const child = spawn(program!, given, {
    cwd,
    env: { ...process.env, PORT: '0', OPERATOR_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', logFile === undefined ? 'pipe' : openSync(logFile, 'a')],
  })
  const allGone = once(child, 'close').then(([code]) => code)
  const log: string[] = []
  if (child.stderr !== null) createInterface(child.stderr).on('line', (line) => log.push(line))
  const printed: string[] = []
  const lines = createInterface(child.stdout!).on('line', (line) => printed.push(line))
  const [line] = await Promise.race([once(lines, 'line'), failure(child, log)])
  const { partnerUrl: url, operatorUrl } = JSON.parse(line)
  return {
    pid: child.pid!,
    url,
    operatorUrl,
    log,
    printed,
    signal: (signal) => void child.kill(signal),
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      const exit = once(child, 'exit')
      child.kill(signal)
      const [code] = await exit
      return code
    },
    allGone,
  }
}

async function failure(child: ChildProcess, log: string[]): Promise<never> {
  const [code] = await once(child, 'exit')
  throw new Error(`the server ended with ${code} before it served: ${log.join('\n')}`)
}
