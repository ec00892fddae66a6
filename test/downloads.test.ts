import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import * as sdk from '../sdk/src/index.ts'
import { send } from './support/client.ts'
import { compileAsPartner, nodesOfMachine, packInstalled } from './support/installed-package.ts'
import { startService, temporaryFolder } from './support/service.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../', import.meta.url))
const sdkFile = 'partner-credit-client-0.3.0.tgz'
const cliFile = 'partner-credit-cli-0.3.0.tgz'

describe('what partners install from the service', { concurrency: 2 }, async () => {
  const { url, acme, clock } = await startService({ after }, {}, { nodes: 1 })
  clock.set(Date.now())
  const settings = { BASE_URL: url, API_KEY: acme.apiKey, SIGNING_SECRET: acme.signingSecret }

  test('the SDK: npm installs it from its address into an empty folder, where no registry can be reached', async (t) => {
    const project = emptyProject(temporaryFolder(t))
    const nowhere = [
      '--registry=http://127.0.0.1:9',
      `--cache=${join(project, 'cache')}`,
      '--fetch-retries=0',
    ]
    await run('npm', ['install', `${url}/docs/downloads/${sdkFile}`, ...nowhere, ...quiet], { cwd: project })
    const installed = join(project, 'node_modules/partner-credit-client')
    deepEqual(globSync('*', { cwd: join(project, 'node_modules') }), ['partner-credit-client'])
    deepEqual(
      globSync('**/*.*', { cwd: installed })
        .filter((file) => !/^dist\/[\w-]+\.js$/.test(file))
        .toSorted(),
      ['README.md', 'dist/index.d.ts', 'package.json'],
    )
    writeFileSync(join(project, 'first.mjs'), firstAward)
    for (const [version, node] of Object.entries(await nodesOfMachine())) {
      const { stdout, stderr } = await run(node, ['first.mjs', version], { cwd: project, env: settings })
      equal(stderr, '')
      deepEqual(JSON.parse(stdout), {
        names: Object.keys(sdk).toSorted((a, b) => (a < b ? -1 : 1)),
        points: 5,
        error: 'InvalidArgumentError',
      })
    }
    writeFileSync(join(project, 'first.ts'), typedAward)
    await compileAsPartner(project)
  })

  test('the command line: it installs with the two packages that it names, and credits an order', async (t) => {
    const folder = temporaryFolder(t)
    const project = emptyProject(folder)
    await run('curl', ['-sfO', `${url}/docs/downloads/${cliFile}`], { cwd: folder })
    // From node_modules, so that the test needs no network. Partners get them from the registry.
    const needed = await packInstalled(['commander', 'csv-parse'], join(folder, 'needed'))
    await run('npm', ['install', '--offline', join(folder, cliFile), ...needed, ...quiet], { cwd: project })
    for (const [version, node] of Object.entries(await nodesOfMachine())) {
      const path = [dirname(node), join(project, 'node_modules/.bin'), process.env.PATH].join(delimiter)
      const command = async (...args: string[]) =>
        JSON.parse(
          (await run('partner-credit-cli', args, { env: { ...settings, PATH: path }, cwd: project })).stdout,
        )
      const order = ['--order', `cli ${version}`, '--email', 'ann@example.com', '--amount', '7000']
      equal((await command('award', '--tenant', 't1', ...order, '--json')).points, 7)
      const { items } = await command('awards', '--tenant', 't1', '--json')
      ok(items.some(({ orderId }: { orderId: string }) => orderId === `cli ${version}`))
    }
  })

  test('each package is served as a file, the same at every request, and HEAD says how large it is', async () => {
    for (const file of [sdkFile, cliFile]) {
      const get = async (method: string) => {
        const response = await fetch(`${url}/docs/downloads/${file}`, { method })
        equal(response.status, 200)
        equal(response.headers.get('content-type'), 'application/gzip')
        return {
          length: response.headers.get('content-length'),
          bytes: Buffer.from(await response.arrayBuffer()),
        }
      }
      const [first, second, head] = [await get('GET'), await get('GET'), await get('HEAD')]
      ok(first.bytes.equals(second.bytes))
      deepEqual([head.length, head.bytes.length], [String(first.bytes.length), 0])
    }
  })

  test('READMEs and pages name the files that are there', async () => {
    for (const [readme, page, file] of [
      ['sdk/README.md', '/docs/libraries/sdk', sdkFile],
      ['partner-cli/README.md', '/docs/libraries/cli', cliFile],
    ] as const) {
      ok(
        readFileSync(join(root, readme), 'utf8').includes(`/docs/downloads/${file}\nnpm install ./${file}`),
        readme,
      )
      for (const path of [page, '/docs/libraries'])
        match((await send(`${url}${path}`)).text, new RegExp(`/docs/downloads/${file}\\b`))
    }
  })

  test('the page of the SDK has every export, with its members', async () => {
    const { text } = await send(`${url}/docs/libraries/sdk`)
    for (const name of [
      ...Object.keys(sdk),
      'PartnerCreditOptions',
      'AwardRequest',
      'AwardHistoryItem',
      'CallOptions',
    ])
      ok(text.includes(`<h3 id="${name}"><code>${name}</code></h3>`), name)
    const shown = text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')
    ok(shown.includes('meta Record&lt;string, unknown&gt; | null · optional Your own data, kept as sent.'))
    ok(
      shown.includes(
        'award() award(order: AwardRequest , options?: CallOptions ): Promise&lt; Award &gt; Credits an order, once',
      ),
    )
    ok(shown.includes('new() constructor(options: PartnerCreditOptions )'))
  })
})

const quiet = ['--no-audit', '--no-fund', '--loglevel=error']

function emptyProject(folder: string): string {
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  return project
}

const firstAward = `import * as sdk from 'partner-credit-client'
const { BASE_URL: baseUrl, API_KEY: apiKey, SIGNING_SECRET: signingSecret } = process.env
const credit = new sdk.PartnerCredit({ baseUrl, apiKey, signingSecret })
const order = { tenantId: 't1', orderId: 'sdk ' + process.argv[2], userEmail: 'ann@example.com', amount: 5250 }
const { points } = await credit.award(order)
const { name } = await credit.award({ ...order, amount: '1' }).catch((error) => error)
console.log(JSON.stringify({ names: Object.keys(sdk).sort(), points, error: name }))
`

const typedAward = `import { type AwardRequest, DailyCapExceededError, PartnerCredit, sign } from 'partner-credit-client'

const { BASE_URL, API_KEY, SIGNING_SECRET } = process.env
const credit = new PartnerCredit({ baseUrl: BASE_URL, apiKey: API_KEY, signingSecret: SIGNING_SECRET })
const order: AwardRequest = { tenantId: 't1', orderId: '1', userEmail: 'ann@example.com', amount: 1000 }
const points: number = (await credit.award(order).catch((error: unknown) => {
  if (error instanceof DailyCapExceededError) return { points: error.limit }
  throw error
})).points
for await (const { orderId } of credit.awards({ tenantId: 't1' })) console.log(points, orderId?.length)
// @ts-expect-error there is no such field
await credit.award({ ...order, amuont: 1 })
const signature: Promise<string> = sign({ signingSecret: 'x', timestamp: 1, payload: '' })
console.log(await signature)
`
