import { deepEqual, equal } from 'node:assert/strict'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startServerProcess } from '../support/server-process.ts'
import { temporaryFolder } from '../support/service.ts'

type Locked = { dev?: boolean; devOptional?: boolean; optional?: boolean; link?: boolean }

test('what npm install --omit=dev brings is enough to serve partners and their docs', async (t) => {
  const folder = temporaryFolder(t)
  const isLeftOut = (path: string) => /^(node_modules|\.git|data|test|bench)(\/|$)/.test(path)
  cpSync('.', folder, { recursive: true, filter: (path) => !isLeftOut(path) })
  // Without the Node of optionalDependencies, too: the service runs on this one.
  for (const path of packagesWithoutDev()) cpSync(path, join(folder, path), { recursive: true })

  const environment = { DATABASE_URL: `sqlite:${join(folder, 'ledger.db')}` }
  const server = await startServerProcess(environment, {
    launcher: join(folder, 'bin/partner-credit.js'),
    cwd: folder,
  })
  t.after(() => server.end('SIGKILL'))
  const paths = ['/docs', '/docs/reference', '/docs/signature', '/docs/errors', '/openapi.json', '/readyz']
  const statuses = await Promise.all(paths.map(async (path) => (await fetch(server.url + path)).status))
  deepEqual(
    statuses,
    paths.map(() => 200),
  )
  equal(await server.end('SIGTERM'), 0)
})

/** As npm decides it by the lockfile. */
function packagesWithoutDev(): string[] {
  const lock: { packages: Record<string, Locked> } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  return Object.entries(lock.packages)
    .filter(([path]) => path.startsWith('node_modules/'))
    .filter(([, { dev, devOptional, optional, link }]) => !dev && !devOptional && !optional && !link)
    .map(([path]) => path)
}
