import { equal } from 'node:assert/strict'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { docsPages } from '../support/docs-pages.ts'
import { startServerProcess } from '../support/server-process.ts'
import { temporaryFolder } from '../support/service.ts'

type Locked = { dev?: boolean; devOptional?: boolean; optional?: boolean; link?: boolean }

test('what npm install --omit=dev brings is enough to serve partners and their docs', async (t) => {
  const folder = temporaryFolder(t)
  const isLeftOut = (path: string) => /^(node_modules|\.git|data|test|bench)(\/|$)/.test(path)
  cpSync('.', folder, { recursive: true, filter: (path) => !isLeftOut(path) })
  // Without the Node of optionalDependencies: the service runs on the Node of this test.
  for (const path of packagesWithoutDev()) cpSync(path, join(folder, path), { recursive: true })

  const environment = { DATABASE_URL: `sqlite:${join(folder, 'ledger.db')}` }
  const server = await startServerProcess(environment, {
    launcher: join(folder, 'bin/partner-credit.js'),
    cwd: folder,
  })
  t.after(() => server.end('SIGKILL'))
  const packages = ['sdk', 'partner-cli'].map((workspace) => {
    const { name, version } = JSON.parse(readFileSync(`${workspace}/package.json`, 'utf8'))
    return `/docs/downloads/${name}-${version}.tgz`
  })
  for (const path of [...docsPages, ...packages, '/docs/examples/award.py', '/openapi.json', '/readyz']) {
    equal((await fetch(server.url + path)).status, 200, path)
  }
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
