import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { eventually } from './eventually.ts'
import { type Lifetime, temporaryFolder } from './service.ts'

/** Null: both programs are installed. Otherwise, what to install. */
export function prometheusMissing(): string | null {
  const missing = ['prometheus', 'promtool'].filter((program) => !isInstalled(program))
  if (missing.length === 0) return null
  return `${missing.join(' and ')} not installed: on Debian, apt-get install prometheus, then run this test again`
}

function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0
}

// biome-ignore lint/suspicious/noExplicitAny: Prometheus' API is its own contract
type Get = (path: string) => Promise<any>

/** A real Prometheus that scrapes this target, with the rules of deploy/. */
export async function startPrometheus(test: Lifetime, operatorUrl: string): Promise<{ get: Get }> {
  const folder = temporaryFolder(test)
  const port = await freePort()
  const config = join(folder, 'prometheus.yml')
  writeFileSync(
    config,
    JSON.stringify({
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: [resolve('deploy/prometheus/alerts.yml')],
      scrape_configs: [
        { job_name: 'partner-credit', static_configs: [{ targets: [new URL(operatorUrl).host] }] },
      ],
    }),
  )
  const data = join(folder, 'data')
  mkdirSync(data)
  const child = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${data}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: 'ignore' },
  )
  const ended = new Promise((resolve) => child.once('exit', resolve))
  test.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const url = `http://127.0.0.1:${port}`
  await eventually('Prometheus is ready', () => isReady(url), { withinMs: 60_000 })
  return { get: async (path) => (await fetch(`${url}/api/v1/${path}`)).json() }
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/-/ready`)).status === 200
  } catch {
    return false
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
