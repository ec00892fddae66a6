import { deepEqual, doesNotMatch, equal } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { publint } from 'publint'
import {
  compileAsPartner,
  examplesIn,
  installPackage,
  nodesOfMachine,
} from '../../test/support/installed-package.ts'
import * as source from '../src/index.ts'
import { startLive } from './live-service.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const sdk = join(root, 'sdk')
const bin = (name: string) => join(root, 'node_modules/.bin', name)

describe('the package', { concurrency: 2 }, async () => {
  const { folder, project, tarball } = await installPackage({ after }, 'sdk')
  const installed = join(project, 'node_modules/partner-credit-client')
  // The reader of the README begins with an empty ledger; what else is tried here is done as another partner.
  const reader = join(folder, 'reader')
  cpSync(project, reader, { recursive: true })
  const { service, options } = await startLive({ after })
  const { apiKey, signingSecret } = service.globex

  test('has the compiled code, its types, a README and a license, and nothing else', () => {
    const files = globSync('**/*', { cwd: installed }).filter(
      (file) => !/^dist(\/[\w-]+(\.d\.ts|\.js))?$/.test(file),
    )
    deepEqual(new Set(files), new Set(['LICENSE', 'README.md', 'package.json']))
    deepEqual(globSync('*', { cwd: join(project, 'node_modules') }), ['partner-credit-client'])
    const codeOf = (file: string) => readFileSync(join(installed, file), 'utf8').replace(/^ *\*.*$/gm, '')
    for (const file of globSync('dist/*.js', { cwd: installed })) {
      doesNotMatch(codeOf(file), /'node:|\b(process|Buffer|require)\b/, file)
    }
    for (const file of globSync('dist/*.d.ts', { cwd: installed })) {
      const types = readFileSync(join(installed, file), 'utf8')
      doesNotMatch(types, /Uint8Array</, `${file}: TypeScript before 5.7 does not know it`)
    }
  })

  for (const [version, node] of Object.entries(await nodesOfMachine())) {
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

  test('publint finds nothing', async () => {
    const data = readFileSync(tarball)
    const { messages } = await publint({ strict: true, pack: { tarball: Uint8Array.from(data).buffer } })
    deepEqual(messages, [])
  })

  test('"are the types wrong" finds nothing', async () => {
    const { stdout } = await run(bin('attw'), ['--profile', 'esm-only', '--format', 'json', tarball])
    const { analysis } = JSON.parse(stdout)
    equal(analysis.types.kind, 'included')
  })

  test('the examples of README and comments compile, and print what the README says', async () => {
    const examples = examplesIn(readFileSync(join(installed, 'README.md'), 'utf8'), 'ts')
    const script = examples.map(({ code }) => `${code}\nconsole.log('${mark}')\n`).join('')
    writeFileSync(join(reader, 'readme.ts'), script)
    const inComments = globSync('src/*.ts', { cwd: sdk }).flatMap((file) =>
      examplesIn(readFileSync(join(sdk, file), 'utf8').replace(/^ *\* ?/gm, ''), 'ts'),
    )
    equal(inComments.length, 3)
    for (const [index, { code }] of inComments.entries()) {
      writeFileSync(join(reader, `comment-${index}.ts`), `${code}\nexport {}\n`)
    }
    writeFileSync(join(reader, 'package.json'), '{ "private": true, "type": "module" }')
    await compileAsPartner(reader)

    const environment = {
      BASE_URL: service.url,
      API_KEY: options.apiKey,
      SIGNING_SECRET: options.signingSecret,
    }
    const { stdout } = await run(process.execPath, ['readme.ts'], { cwd: reader, env: environment })
    deepEqual(
      stdout.split(`${mark}\n`).slice(0, -1),
      examples.map(({ output }) => output),
    )
  })
})

const mark = '--- the next example ---'

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
