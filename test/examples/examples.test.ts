import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { createPartner } from '../../src/partners/create-partner.ts'
import { createClient } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { nodesOfMachine } from '../support/installed-package.ts'
import { programTabs } from '../../src/http/docs/language-tabs.ts'
import { startService, temporaryFolder } from '../support/service.ts'
import { signatureVectors } from '../support/vectors.ts'

/** A command that succeeds if the language is on this machine, and one that runs the example. */
type Way = { has: string; run: string }

/** In the order of preference. */
const examples: Record<string, Way[]> = {
  'award.sh': [{ has: 'curl --version && openssl version', run: 'bash award.sh' }],
  'award.ts': [{ has: 'true', run: `'${process.execPath}' award.ts` }],
  'award.py': [{ has: 'python3 --version', run: 'python3 award.py' }],
  'award.php': [{ has: 'php --version', run: 'php award.php' }],
  'award.rb': [{ has: 'ruby --version', run: 'ruby award.rb' }],
  'award.go': [{ has: 'go version', run: 'go run award.go' }],
  'Award.java': [{ has: 'java --version', run: 'java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC Award.java' }],
  'Award.cs': [
    { has: 'dotnet --version | grep -E "^[1-9][0-9]"', run: 'dotnet run Award.cs --' },
    {
      has: 'mcs --version && mono --version',
      run: 'mcs -r:System.Net.Http -out:"$BUILD/award.exe" Award.cs && mono "$BUILD/award.exe"',
    },
  ],
}

const folder = new URL('../../examples/', import.meta.url)

const output = readFileSync(new URL('output.txt', folder), 'utf8')

const vectors = signatureVectors.map(
  ({ signingSecret, timestamp, bytes }) =>
    `${signingSecret} ${timestamp} ${Buffer.from(bytes).toString('base64')}\n`,
)

describe('the examples for partners', { concurrency: 3 }, async () => {
  const { url, clock, operate, config } = await startService({ after })
  for (const [index, [name, ways]] of Object.entries(examples).entries()) {
    test(`${name} signs the contract's vectors, makes an award, repeats it and lists it`, async (t) => {
      const way = ways.find(({ has }) => spawnSync('bash', ['-c', has]).status === 0)
      if (way === undefined) return t.diagnostic(`${name} was not run: its language is not on this machine`)
      const build = { BUILD: temporaryFolder(t) }

      const signatures = await outputOf(`${way.run} --vectors`, build, vectors.join(''))
      deepEqual(
        signatures.trimEnd().split('\n'),
        signatureVectors.map(({ signature }) => signature),
      )

      // All make the same order.
      const partnerId = `partner-${index}`
      const partner = { partnerId, name, tenants: ['t1'], sandboxTenants: ['t1-test'] }
      const limits = { perTx: null, perPartnerDay: null }
      const key = await operate((by) => createPartner(by, { ...partner, ...limits }, config.masterKey!))
      const client = createClient(url, key, clock)
      clock.set(Date.now()) // as the example will read it: the ones before may have taken minutes
      await eventually('the key is known', async () => (await client.history('t1-test')).status === 200)
      const settings = {
        BASE_URL: url,
        API_KEY: key.apiKey,
        SIGNING_SECRET: key.signingSecret,
        TENANT_ID: 't1-test',
      }
      const printed = await outputOf(way.run, { ...build, ...settings })
      equal(generic(printed), generic(output))
    })
  }
})

test('award.ts says which Node runs it as it is, and without its types runs on every Node of this machine', async (t) => {
  const example = readFileSync(new URL('award.ts', folder), 'utf8')
  const [, needed] = /^\/\/ .*Node (\d+\.\d+) or later/m.exec(example) ?? []
  ok(needed, 'its first lines name the version')
  ok(readFileSync(new URL('README.md', folder), 'utf8').includes(`Node ${needed} or later`))
  doesNotMatch(example, /^(for )?await /m, 'tsx, as the page advises for Node 20, compiles it to CommonJS')
  const compiled = join(temporaryFolder(t), 'award.mjs')
  writeFileSync(compiled, stripTypeScriptTypes(example))
  for (const [version, node] of Object.entries(await nodesOfMachine())) {
    const signatures = await outputOf(`'${node}' '${compiled}' --vectors`, {}, vectors.join(''))
    equal(signatures, signatureVectors.map(({ signature }) => `${signature}\n`).join(''), version)
  }
})

test('every example is run here, and the page shows what they print', () => {
  const files = readdirSync(folder).filter((file) => /^award\./i.test(file))
  deepEqual(new Set(files), new Set(Object.keys(examples)))
  ok(readFileSync(new URL('README.md', folder), 'utf8').includes(output))
})

test('every example begins with the command that runs it, with the names that partner create prints', () => {
  for (const name of Object.keys(examples)) {
    const code = readFileSync(new URL(name, folder), 'utf8')
    match(
      code.split('\n').slice(0, 5).join('\n'),
      /BASE_URL=http\S+ API_KEY=pck_\S+ SIGNING_SECRET=pcs_\S+ TENANT_ID=\S+ \w+/,
    )
  }
})

test('the page with award.ts says what runs it on Node 20', () => {
  match(programTabs(), /run <code>node award\.ts<\/code> .*Node 20.*<code>npx tsx award\.ts<\/code>/)
})

async function outputOf(command: string, environment: Record<string, string>, input = ''): Promise<string> {
  const child = spawn('bash', ['-c', command], { cwd: folder, env: { ...process.env, ...environment } })
  child.stdin.end(input)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  equal(code, 0, stderr)
  equal(stderr, '')
  return stdout
}

/** Without what differs from run to run; ids that are equal stay so. */
function generic(output: string): string {
  const ids = new Map<string, string>()
  return output
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
      ids.set(id, ids.get(id) ?? `ID ${ids.size + 1}`)
      return ids.get(id)!
    })
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
}
