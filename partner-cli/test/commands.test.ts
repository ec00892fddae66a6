import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { temporaryFolder } from '../../test/support/service.ts'
import { startFaultyProxy } from '../../sdk/test/faulty-proxy.ts'
import { startLive } from '../../sdk/test/live-service.ts'
import { environmentOf, runCommand } from './command-line.ts'

describe('the command', async () => {
  const live = await startLive({ after })
  const environment = environmentOf(live)
  const { apiKey, signingSecret } = live.options
  const folder = temporaryFolder({ after })
  const award = (orderId: string, ...more: string[]) => [
    ...['award', '--tenant', 't1', '--order', orderId, '--email', 'Ann@example.com', '--amount', '5250'],
    ...more,
  ]
  const command = (args: string[], changed: Record<string, string> = {}) =>
    runCommand(args, { environment: { ...environment, ...changed } })

  test('award credits an order; again, it credits nothing and says so', async () => {
    const first = await command(award('o-1', '--note', 'Thanks', '--meta', '{"shop":7}'))
    equal(first.code, 0, first.stderr)
    match(
      first.stdout,
      /^5 EP credited to Ann@example\.com for order o-1 \(transaction [0-9a-f-]{36}\)\n[\d,]+ EP left for t1 until 20.*Z\n$/,
    )
    const again = await command(award('o-1', '--note', 'Thanks', '--meta', '{"shop":7}'))
    equal(again.code, 0)
    match(again.stdout, /^5 EP had been credited for order o-1 before, nothing was added/)
    const { orderId, points, duplicate } = JSON.parse((await command(award('o-2', '--json'))).stdout)
    deepEqual({ orderId, points, duplicate }, { orderId: 'o-2', points: 5, duplicate: false })
  })

  test('an award that is refused: exit code 1, and the reason; as JSON, too', async () => {
    await command(award('o-3'))
    const conflict = await command(award('o-3', '--note', 'other', '--json'))
    equal(conflict.code, 1)
    match(conflict.stderr, /^partner-credit-cli: ORDER_ID_CONFLICT: /)
    const { error } = JSON.parse(conflict.stdout)
    deepEqual([error.code, error.status, error.differs], ['ORDER_ID_CONFLICT', 409, ['note']])
    const secret = { SIGNING_SECRET: `${signingSecret}x` }
    const unsigned = await command(award('o-4'), secret)
    equal(unsigned.code, 1)
    match(unsigned.stderr, /INVALID_SIGNATURE/)
  })

  test('control characters of an answer do not reach the terminal', async (t) => {
    const proxy = await startFaultyProxy(t, live.service.url)
    const credited = { epTransactionId: '\u001b[2J\u202e', status: 'COMPLETED', orderId: 'o-7', points: 5 }
    proxy.next({
      status: 202,
      body: JSON.stringify(credited),
      headers: { 'ep-day-resets-at': '\x9b2J', 'ep-partner-day-remaining': '1' },
    })
    const { code, stdout } = await command(award('o-7', '--url', proxy.url))
    equal(code, 0)
    match(stdout, /^5 EP credited/)
    doesNotMatch(stdout, /[\u001b\u009b\u202e]/)
  })

  test('an award whose response got lost: exit code 2, and that the same command is safe', async (t) => {
    const proxy = await startFaultyProxy(t, live.service.url)
    proxy.next({ status: 503, headers: { 'retry-after': '60' } })
    const lost = await command(award('o-5', '--url', proxy.url))
    equal(lost.code, 2)
    match(
      lost.stderr,
      /It may or may not have been credited\. Run the same command again later to find out\.\n$/,
    )
  })

  test('an award whose response got lost, and whose retry gets a 401: exit code 2, it is not refused', async (t) => {
    const proxy = await startFaultyProxy(t, live.service.url)
    proxy.next('is answered, and the answer is lost', 'is changed on the way')
    const lost = await command(award('o-6', '--json', '--url', proxy.url))
    equal(lost.code, 2)
    match(
      lost.stderr,
      /^partner-credit-cli: INVALID_SIGNATURE: .*\nIt may or may not have been credited\. Run the same command again/,
    )
    equal(JSON.parse(lost.stdout).error.mayBeCredited, true)
    match((await command(award('o-6'))).stdout, /^5 EP had been credited for order o-6 before/)
  })

  test('awards lists them, newest first: as a table, as CSV, as JSON', async () => {
    await command(award('l-1'))
    await command(award('l-2', '--note', '=1+1'))
    const list = ['awards', '--tenant', 't1', '--limit', '2']
    const table = await command(list)
    equal(table.code, 0)
    match(
      table.stdout,
      /^awarded at +order +e-mail +EP +note\n20\S+Z +l-2 +ann@example\.com +5 +=1\+1\n20\S+Z +l-1 .*5\n$/,
    )
    const csv = await command([...list, '--format', 'csv'])
    match(
      csv.stdout,
      /^orderId,userEmail,points,note,awardedAt,epTransactionId\r\nl-2,ann@example.com,5,"'=1\+1",20/,
    )
    const { tenantId, items } = JSON.parse((await command([...list, '--json'])).stdout)
    equal(tenantId, 't1')
    deepEqual(
      items.map(({ orderId, points, note }: Record<string, unknown>) => [orderId, points, note]),
      [
        ['l-2', 5, '=1+1'],
        ['l-1', 5, null],
      ],
    )
    const none = JSON.parse((await command(['awards', '--tenant', 't2', '--json'])).stdout)
    deepEqual(none, { tenantId: 't2', items: [] })
    const before = await command(['awards', '--tenant', 't1', '--json', '--to', '2020-01-01'])
    deepEqual(JSON.parse(before.stdout).items, [])
    const later = await command(['awards', '--tenant', 't1', '--json', '--from', '9000-01-01'])
    deepEqual(JSON.parse(later.stdout).items, [])
  })

  test('a list that the service refuses: exit code 1, and the reason', async () => {
    const refused = await command(['awards', '--tenant', 't9'])
    deepEqual([refused.code, refused.stdout], [1, ''])
    match(refused.stderr, /^partner-credit-cli: TENANT_NOT_ALLOWED: /)
  })

  test('a list that the service could not give: exit code 2', async (t) => {
    const proxy = await startFaultyProxy(t, live.service.url)
    proxy.next({ status: 503, headers: { 'retry-after': '60' } })
    const lost = await command(['awards', '--tenant', 't1', '--url', proxy.url])
    deepEqual([lost.code, lost.stdout], [2, ''])
  })

  test('settings come from a file, which counts before the environment; others must not read it', async () => {
    const file = join(folder, 'settings')
    const all = { ...environment, TENANT_ID: 't9' }
    const lines = Object.entries(all).map(([name, value]) => `export ${name} = "${value}"`)
    writeFileSync(file, `# of acme\r\n\r\n${lines.join('\r\n')}\r\n`, { mode: 0o600 })
    const wrong = { BASE_URL: 'https://elsewhere.example', API_KEY: 'pck_other' }
    const found = await command(award('s-1', '--settings', file), wrong)
    deepEqual([found.code, found.stderr], [0, ''])
    chmodSync(file, 0o644)
    const open = await command(award('s-1', '--settings', file))
    match(open.stderr, /others on this machine can read .*chmod 600/)
    writeFileSync(file, `${signingSecret}\n`)
    const bare = await command(award('s-1', '--settings', file))
    equal(bare.code, 2)
    match(bare.stderr, /line 1: must be one of BASE_URL, /)
    const nowhere = await command(award('s-1', '--settings', join(folder, 'nowhere')))
    match(nowhere.stderr, /the settings cannot be read: ENOENT/)
    for (const { stderr } of [found, open, bare]) assertDiscreet(stderr)
  })

  test('TENANT_ID is the tenant of every command that names none; --tenant counts before it', async () => {
    const inSecond = (...args: string[]) => command(args, { TENANT_ID: 't2' })
    const order = ['--order', 'env-1', '--email', 'ann@example.com', '--amount', '5250']
    equal((await inSecond('award', ...order)).code, 0)
    const { tenantId, items } = JSON.parse((await inSecond('awards', '--json')).stdout)
    deepEqual([tenantId, items.length, items[0].orderId], ['t2', 1, 'env-1'])
    equal(JSON.parse((await inSecond('awards', '--tenant', 't1', '--json')).stdout).tenantId, 't1')
    const list = join(folder, 'of-t2.csv')
    writeFileSync(list, 'order,email,amount\nenv-1,ann@example.com,5250\n')
    equal((await inSecond('reconcile', list)).code, 0)
    const nowhere = await command(['awards'], { TENANT_ID: '' })
    equal(nowhere.code, 2)
    match(nowhere.stderr, /TENANT_ID is missing: set it, or use --tenant/)
  })

  const wrong: [string, string[], RegExp][] = [
    ['an unknown command', ['reconsile'], /unknown command 'reconsile' \(Did you mean reconcile\?\)/],
    [
      'a secret as a command',
      [signingSecret],
      /unknown command\npartner-credit-cli --help shows the commands/,
    ],
    [
      'an unknown option',
      award('w', '--tenat', 't1'),
      /unknown option '--tenat' \(Did you mean --tenant\?\)/,
    ],
    [
      'the secret as an option',
      award('w', '--signing-secret', signingSecret),
      /everyone on this machine can read arguments/,
    ],
    ['the secret as an argument', award('w', signingSecret), /too many arguments for 'award'/],
    ['an option without its value', ['award', '--tenant', '--order', 'x'], /--tenant needs a value/],
    ['a missing option', ['award', '--tenant', 't1'], /required option '--order <orderId>' not specified/],
    [
      'an amount with a fraction',
      award('w', '--amount=5.5').filter((_, index) => index !== 7 && index !== 8),
      /--amount must be a whole number/,
    ],
    [
      'an amount above 2^53',
      award('w', '--amount=9007199254740992').filter((_, index) => index !== 7 && index !== 8),
      /--amount is too large: it can be at most 9007199254740991\n/,
    ],
    ['meta that is no object', award('w', '--meta', '[1]'), /--meta must be a JSON object/],
    ['a flag with a value', award('w', '--json=yes'), /unknown option '--json=…'/],
    ['an empty value', award('w', '--note', ''), /--note is empty/],
    [
      'the secret as the value of an unknown option',
      award('w', `--seed=${signingSecret}`),
      /unknown option '--seed=…'/,
    ],
    [
      'a limit of zero',
      ['awards', '--tenant', 't1', '--limit', '0'],
      /--limit must be a whole number above zero/,
    ],
  ]
  for (const [what, args, reason] of wrong) {
    test(`${what}: exit code 2 and the reason, never a secret`, async () => {
      const { code, stdout, stderr } = await command(args)
      match(stderr, reason)
      deepEqual([code, stdout], [2, ''])
      assertDiscreet(stderr)
    })
  }

  test('settings that are missing or mixed up are named as they are set, all at once', async () => {
    const { code, stderr } = await runCommand(award('x'), {
      environment: { API_KEY: signingSecret },
    })
    equal(code, 2)
    match(stderr, /BASE_URL is missing\n/)
    match(stderr, /API_KEY is a signing secret/)
    match(stderr, /SIGNING_SECRET is missing/)
    const [, , ...withoutTenant] = award('x').slice(1)
    match(
      (await runCommand(['award', ...withoutTenant])).stderr,
      /BASE_URL is missing\n(.*\n)+ +TENANT_ID is missing/,
    )
    assertDiscreet(stderr)
  })

  test('without a command it shows the help, exit code 2; --help and --version: 0', async () => {
    const nothing = await runCommand([])
    deepEqual([nothing.code, nothing.stdout], [2, ''])
    match(nothing.stderr, /^Usage: partner-credit-cli \[options\] \[command\]/)
    const help = await runCommand(['--help'])
    deepEqual([help.code, help.stdout], [0, nothing.stderr])
    for (const name of ['award', 'awards', 'reconcile']) {
      const page = await runCommand([name, '--tenant', 't1', '--help'])
      equal(page.code, 0)
      match(page.stdout, new RegExp(`^Usage: partner-credit-cli ${name} `))
    }
    match((await runCommand(['--version'])).stdout, /^\d+\.\d+\.\d+\n$/)
  })

  function assertDiscreet(text: string): void {
    doesNotMatch(text, new RegExp(`${apiKey}|${signingSecret}`))
  }
})
