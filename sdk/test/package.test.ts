import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { temporaryFolder } from '../../test/support/service.ts'
import * as source from '../src/index.ts'
import { startLive } from './live-service.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const sdk = join(root, 'sdk')
const bin = (name: string) => join(root, 'node_modules/.bin', name)

/** What partners install: packed, and installed into a project that has nothing else. */
describe('the package', { concurrency: 2 }, async () => {
  const folder = temporaryFolder({ after })
  const npm = (args: string[], cwd: string) => run('npm', [...args, '--loglevel=error'], { cwd })
  await npm(['pack', '--pack-destination', folder], sdk)
  const [tarball] = globSync('*.tgz', { cwd: folder }) as [string]
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "private": true }')
  await npm(['install', '--offline', '--no-audit', '--no-fund', join(folder, tarball)], project)
  const installed = join(project, 'node_modules/partner-credit-client')
  // The reader of the README begins with an empty ledger; what else is tried here is done as another partner.
  const reader = join(folder, 'reader')
  cpSync(project, reader, { recursive: true })
  const { service, options } = await startLive({ after })
  const { apiKey, signingSecret } = service.globex

  test('has the compiled code, its types, a README and a licence, and nothing else', () => {
    const files = globSync('**/*', { cwd: installed }).filter(
      (file) => !/^dist(\/[\w-]+(\.d\.ts|\.js)|\/cli(\/[\w-]+)?(\/[\w-]+\.js)?)?$/.test(file),
    )
    deepEqual(new Set(files), new Set(['LICENSE', 'README.md', 'package.json']))
    deepEqual(globSync('*', { cwd: join(project, 'node_modules') }), ['partner-credit-client'])
    const codeOf = (file: string) => readFileSync(join(installed, file), 'utf8').replace(/^ *\*.*$/gm, '')
    for (const file of globSync('dist/*.js', { cwd: installed })) {
      doesNotMatch(codeOf(file), /'node:|'\.\/cli|\b(process|Buffer|require)\b/, file)
    }
    for (const file of globSync('dist/cli/**/*.js', { cwd: installed })) {
      doesNotMatch(codeOf(file), /(from|import) '(?!node:|\.)/, file)
    }
    for (const file of globSync('dist/*.d.ts', { cwd: installed })) {
      const types = readFileSync(join(installed, file), 'utf8')
      doesNotMatch(types, /Uint8Array</, `${file}: TypeScript before 5.7 does not know it`)
    }
  })

  const versions = await nodes()
  for (const [version, node] of Object.entries(versions)) {
    for (const [how, file, first] of [
      ['import', 'first.mjs', "import * as sdk from 'partner-credit-client'"],
      ['require', 'first.cjs', "const sdk = require('partner-credit-client')"],
    ] as const) {
      test(`${version}: ${how} gives every export, and a first award`, async () => {
        writeFileSync(join(project, file), `${first}\n${firstAward}`)
        const { stdout, stderr } = await run(
          node,
          [file, JSON.stringify({ ...options, apiKey, signingSecret }), how, version],
          {
            cwd: project,
          },
        )
        equal(stderr, '')
        deepEqual(JSON.parse(stdout), {
          names: Object.keys(source).toSorted((a, b) => (a < b ? -1 : 1)),
          orderId: `${how} ${version}`,
          points: 5,
          listed: true,
          error: 'TenantNotAllowedError',
        })
      })
    }
  }

  for (const [version, node] of Object.entries(versions)) {
    test(`${version}: the command credits an order, lists it and finds it again`, async () => {
      const env = { ...commandEnvironment(node, project), ...settingsOf({ apiKey, signingSecret }) }
      const command = (...args: string[]) =>
        run('partner-credit-client', args, { env, cwd: project }).catch((failure) => failure)
      const order = `command ${version}`
      const to = ['--tenant', 't1']
      const award = [
        'award',
        ...to,
        '--order',
        order,
        '--email',
        'Ann@example.com',
        '--amount',
        '5250',
        '--json',
      ]
      const { points } = JSON.parse((await command(...award)).stdout)
      equal(points, 5)
      const listed = JSON.parse((await command('awards', ...to, '--json')).stdout)
      equal(listed.items.filter(({ orderId }: { orderId: string }) => orderId === order).length, 1)
      const file = `orders ${version}.csv`
      writeFileSync(
        join(project, file),
        `order;e-mail;amount\n${order};ann@example.com;5250\nnever;x@example.com;1000\n`,
      )
      const differing = await command('reconcile', file, ...to, '--from', '2000-01-01', '--format', 'csv')
      match(differing.stderr, /^matched +1 +5 EP/)
      equal(
        differing.stdout.split('\r\n')[1],
        'missing,3,never,x@example.com,,1,,,,1 EP for x@example.com not credited since 1999-12-31T17:00:00.000Z',
      )
      equal(differing.code, 1)
    })
  }

  test('publint finds nothing', async () => {
    const data = readFileSync(join(folder, tarball))
    const { messages } = await publint({ strict: true, pack: { tarball: Uint8Array.from(data).buffer } })
    deepEqual(messages, [])
  })

  test('"are the types wrong" finds nothing', async () => {
    const { stdout } = await run(bin('attw'), [
      '--profile',
      'esm-only',
      '--format',
      'json',
      join(folder, tarball),
    ])
    const { analysis } = JSON.parse(stdout)
    equal(analysis.types.kind, 'included')
  })

  test('the examples of README and comments compile, and print what the README says', async () => {
    const readme = readFileSync(join(installed, 'README.md'), 'utf8')
    const examples = examplesIn(readme, 'ts')
    const script = examples.map(({ code }) => `${code}\nconsole.log('${mark}')\n`).join('')
    writeFileSync(join(reader, 'readme.ts'), script.replaceAll('https://credit.example.com', service.url))
    const inComments = globSync('src/*.ts', { cwd: sdk }).flatMap((file) =>
      examplesIn(readFileSync(join(sdk, file), 'utf8').replace(/^ *\* ?/gm, ''), 'ts'),
    )
    equal(inComments.length, 3)
    for (const [index, { code }] of inComments.entries()) {
      writeFileSync(join(reader, `comment-${index}.ts`), `${code}\nexport {}\n`)
    }
    writeFileSync(join(reader, 'package.json'), '{ "private": true, "type": "module" }')
    mkdirSync(join(reader, 'node_modules/@types'))
    for (const types of ['@types/node', 'undici-types']) {
      symlinkSync(join(root, 'node_modules', types), join(reader, 'node_modules', types))
    }
    writeFileSync(join(reader, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    await run(bin('tsc'), [], { cwd: reader }).catch(({ stdout }) => equal(stdout, ''))

    const environment = { API_KEY: options.apiKey, SIGNING_SECRET: options.signingSecret }
    const { stdout } = await run(process.execPath, ['readme.ts'], { cwd: reader, env: environment })
    deepEqual(
      stdout.split(`${mark}\n`).slice(0, -1),
      examples.map(({ output }) => output),
    )

    const commands = examplesIn(readme, 'sh').filter(({ output }) => output !== '')
    equal(commands.length, 3)
    for (const { code, output } of commands) {
      // Without npm's own start, which takes a second.
      const command = `npx() { "$@"; }\n${code}`
      const env = { ...commandEnvironment(process.execPath, reader), ...settingsOf(options) }
      equal((await run('sh', ['-c', command], { cwd: reader, env })).stdout.replaceAll('\r', ''), output)
    }
  })

  function settingsOf({ apiKey, signingSecret }: { apiKey: string; signingSecret: string }) {
    return {
      PARTNER_CREDIT_URL: service.url,
      PARTNER_CREDIT_API_KEY: apiKey,
      PARTNER_CREDIT_SIGNING_SECRET: signingSecret,
    }
  }
})

/** The command of the given project is found, and the Node that it is to run on before any other. */
function commandEnvironment(node: string, project: string) {
  const folders = [dirname(node), join(project, 'node_modules/.bin'), process.env.PATH]
  return { PATH: folders.join(delimiter) }
}

const mark = '--- the next example ---'

/** As strict as a partner's compiler may be, reading our types, too. */
const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  lib: ['esnext'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
}

const firstAward = `
const [options, how, version] = process.argv.slice(2)
async function main() {
  const credit = new sdk.PartnerCredit(JSON.parse(options))
  const order = { tenantId: 't1', orderId: how + ' ' + version, userEmail: 'ann@example.com', amount: 5250 }
  const { orderId, points } = await credit.award(order)
  let listed = false
  for await (const item of credit.awards({ tenantId: 't1' })) listed ||= item.orderId === orderId
  const { name } = await credit.award({ ...order, tenantId: 't9' }).catch((error) => error)
  const names = Object.keys(sdk).filter((name) => !['default', '__esModule'].includes(name)).sort()
  console.log(JSON.stringify({ names, orderId, points, listed, error: name }))
}
main()
`

/** The Node that runs this test, and the machine's own where it has one: the oldest that we promise, in CI. */
async function nodes(): Promise<Record<string, string>> {
  const found: Record<string, string> = { [process.version]: process.execPath }
  const folders = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
  for (const folder of folders) {
    const node = join(folder, 'node')
    const version = await run(node, ['--version']).catch(() => null)
    if (version !== null) found[version.stdout.trim()] ??= node
  }
  return found
}

type Example = { code: string; output: string }

function examplesIn(page: string, language: 'ts' | 'sh'): Example[] {
  const fences = [...page.matchAll(/^```(\w*)\n(.*?)^```$/gms)]
  return fences.flatMap(([, ofFence, code], index) => {
    if (ofFence !== language) return []
    const [, nextLanguage, output] = fences[index + 1] ?? []
    return [{ code: code!, output: nextLanguage === 'text' ? output! : '' }]
  })
}
