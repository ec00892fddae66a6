import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { startLive } from '../../sdk/test/live-service.ts'
import { examplesIn, installPackage, nodesOfMachine } from '../../test/support/installed-package.ts'
import { version } from '../src/version.ts'

const run = promisify(execFile)

describe('the package', { concurrency: 2 }, async () => {
  const { project, tarball } = await installPackage({ after }, 'partner-cli', ['commander', 'csv-parse'])
  const installed = join(project, 'node_modules/partner-credit-cli')
  // The reader of the README begins with an empty ledger; what else is tried here is done as another partner.
  const { service } = await startLive({ after })
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))

  test('has the compiled code, a README and a license, and needs only the packages that it names', () => {
    const files = globSync('**/*', { cwd: installed }).filter((file) => !/^dist(\/[\w./-]+)?$/.test(file))
    deepEqual(new Set(files), new Set(['LICENSE', 'README.md', 'package.json']))
    const compiled = globSync('dist/**/*.*', { cwd: installed })
    deepEqual(
      compiled.filter(
        (file) => !/^dist\/((partner-cli|sdk)\/src|src\/(doctor|terminal))\/[\w/-]+\.js$/.test(file),
      ),
      [],
    )
    deepEqual(
      new Set(globSync('*', { cwd: join(project, 'node_modules') })),
      new Set(['partner-credit-cli', ...Object.keys(manifest.dependencies)]),
    )
    for (const file of compiled) {
      const code = readFileSync(join(installed, file), 'utf8').replace(/^ *\*.*$/gm, '')
      doesNotMatch(code, /(from|import) '(?!node:|\.|commander'|csv-parse(\/sync)?')/, file)
    }
  })

  for (const [nodeVersion, node] of Object.entries(await nodesOfMachine())) {
    test(`${nodeVersion}: the command credits an order, lists it and finds it again`, async () => {
      const env = { ...commandEnvironment(node), ...settingsOf(service.globex) }
      const command = (...args: string[]) =>
        run('partner-credit-cli', args, { env, cwd: project }).catch((failure) => failure)
      const order = `command ${nodeVersion}`
      const to = ['--tenant', 't1']
      const values = ['--order', order, '--email', 'Ann@example.com', '--amount', '5250']
      const { points } = JSON.parse((await command('award', ...to, ...values, '--json')).stdout)
      equal(points, 5)
      const listed = JSON.parse((await command('awards', ...to, '--json')).stdout)
      equal(listed.items.filter(({ orderId }: { orderId: string }) => orderId === order).length, 1)
      const file = `orders ${nodeVersion}.csv`
      writeFileSync(
        join(project, file),
        `order;e-mail;amount\n${order};ann@example.com;5250\nnever;x@example.com;1000\n`,
      )
      const differing = await command('reconcile', file, ...to, '--from', '2000-01-01', '--format', 'csv')
      match(differing.stderr, /^matched +1 +5 EP/)
      equal(
        differing.stdout.split('\r\n')[1],
        'missing,3,never,x@example.com,,1,,,,1 EP for x@example.com not credited since 1999-12-31T17:00:00.000Z,',
      )
      equal(differing.code, 1)
    })

    test(`${nodeVersion}: the command signs a request, and its doctor finds the signature correct`, async () => {
      const env = { ...commandEnvironment(node), ...settingsOf(service.globex) }
      const { stdout } = await run('partner-credit-cli', ['sign', '--tenant', 't1', '--json'], { env })
      const request = join(project, `request ${nodeVersion}.txt`)
      writeFileSync(request, JSON.parse(stdout).curl)
      match(
        (await run('partner-credit-cli', ['doctor', request], { env })).stdout,
        /^The signature is correct\./,
      )
    })
  }

  test('--version is that of the package', async () => {
    const { stdout } = await run('partner-credit-cli', ['--version'], {
      env: commandEnvironment(process.execPath),
    })
    deepEqual([stdout, version], [`${manifest.version}\n`, manifest.version])
  })

  test('publint finds nothing', async () => {
    const data = readFileSync(tarball)
    const { messages } = await publint({ strict: true, pack: { tarball: Uint8Array.from(data).buffer } })
    deepEqual(messages, [])
  })

  test('the examples of the README print what it says', async () => {
    const readme = readFileSync(join(installed, 'README.md'), 'utf8')
    const commands = examplesIn(readme, 'sh').filter(({ output }) => output !== '')
    equal(commands.length, 5)
    for (const { code, output } of commands) {
      // Without npm's own start, which takes a second.
      const command = `npx() { "$@"; }\n${code}`
      const env = { ...commandEnvironment(process.execPath), ...settingsOf(service.acme) }
      equal((await run('sh', ['-c', command], { cwd: project, env })).stdout.replaceAll('\r', ''), output)
    }
  })

  function settingsOf({ apiKey, signingSecret }: { apiKey: string; signingSecret: string }) {
    return {
      BASE_URL: service.url,
      API_KEY: apiKey,
      SIGNING_SECRET: signingSecret,
    }
  }

  /** The installed command is found, and the Node that it is to run on before any other. */
  function commandEnvironment(node: string) {
    const folders = [dirname(node), join(project, 'node_modules/.bin'), process.env.PATH]
    return { PATH: folders.join(delimiter), NODE_COMPILE_CACHE: join(project, 'compiled') }
  }
})
