import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../test/support/service.ts'
import { ConfigError, type Environment, readConfig, readEnvironment, settings } from './config.ts'

function problemsOf(environment: Environment): string[] {
  try {
    readConfig(environment)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.trim())
  }
  return []
}

test('without any setting the service is for this machine only, with the published defaults', () => {
  assert.deepEqual(readConfig({}), {
    host: '127.0.0.1',
    port: 8080,
    operatorHost: '127.0.0.1',
    operatorPort: 8081,
    operatorUrl: null,
    oidc: null,
    workers: 1,
    database: { kind: 'sqlite', path: './data/partner-credit.db' },
    masterKey: null,
    clockWindowMs: 300_000,
    connectionsPerAddress: 1024,
    trustProxy: [],
    logLevel: 'info',
    refusalDays: 30,
    caps: {},
  })
})

test('every setting is taken from the environment', () => {
  const masterKey = Buffer.alloc(32, 7)
  const environment = {
    PORT: '1',
    HOST: '0.0.0.0',
    OPERATOR_PORT: '65535',
    OPERATOR_HOST: '::1',
    OPERATOR_URL: 'https://console.example.com/',
    OIDC_ISSUER: 'https://id.example.com/realm',
    OIDC_CLIENT_ID: 'partner-credit',
    OIDC_CLIENT_SECRET: 'x',
    OIDC_CLAIM: 'preferred_username',
    OIDC_NAME: 'Example ID',
    WORKERS: '64',
    DATABASE_URL: 'sqlite:/var/lib/ledger.db',
    MASTER_KEY: masterKey.toString('base64'),
    CLOCK_WINDOW_MS: '1',
    CONNECTIONS_PER_ADDRESS: '4096',
    TRUST_PROXY: '192.0.2.7, 10.0.0.0/8',
    LOG_LEVEL: 'warn',
    REFUSAL_DAYS: '0',
    CAP_PER_TX: '0',
    CAP_PER_PARTNER_DAY: '1000000000000',
    CAP_PER_USER_DAY: '5',
  }
  assert.deepEqual(Object.keys(environment), Object.keys(settings))
  assert.deepEqual(readConfig(environment), {
    host: '0.0.0.0',
    port: 1,
    operatorHost: '::1',
    operatorPort: 65_535,
    operatorUrl: 'https://console.example.com',
    oidc: {
      issuer: 'https://id.example.com/realm',
      clientId: 'partner-credit',
      clientSecret: 'x',
      claim: 'preferred_username',
      name: 'Example ID',
    },
    workers: 64,
    database: { kind: 'sqlite', path: '/var/lib/ledger.db' },
    masterKey,
    clockWindowMs: 1,
    connectionsPerAddress: 4096,
    trustProxy: ['192.0.2.7', '10.0.0.0/8'],
    logLevel: 'warn',
    refusalDays: 0,
    caps: { perTx: 0, perPartnerDay: 1_000_000_000_000, perUserDay: 5 },
  })
})

test('an empty setting is one that was not made', () => {
  const names = Object.keys(settings)
  assert.deepEqual(readConfig(Object.fromEntries(names.map((name) => [name, '']))), readConfig({}))
})

test('the configuration cannot be changed afterwards', () => {
  const config = readConfig({}) as { port: number; caps: { perTx: number } }
  assert.throws(() => {
    config.port = 1
  })
  assert.throws(() => {
    config.caps.perTx = 1
  })
})

const wrong: [name: string, values: string[]][] = [
  ['PORT', ['abc', '-1', '65536', '80.0', '8e1', ' 80', '0x50', '1e400', '99999999999999999']],
  ['OPERATOR_PORT', ['abc', '65536']],
  ['WORKERS', ['0', '65', '-1', '1.5', 'auto']],
  ['CLOCK_WINDOW_MS', ['0', '-1', 'off', 'Infinity', '86400001', '300000ms']],
  ['CONNECTIONS_PER_ADDRESS', ['0', '4097', 'off']],
  ['CAP_PER_TX', ['-1', '1.5', 'none', '1000000000001', '9007199254740991', '1e3']],
  ['CAP_PER_PARTNER_DAY', ['-1', '1_000']],
  ['CAP_PER_USER_DAY', ['-1', 'unlimited']],
]
for (const [name, values] of wrong) {
  for (const value of values) {
    test(`${name}=${value} is refused, never replaced by a default`, () => {
      const [problem = '', ...more] = problemsOf({ [name]: value })
      assert.ok(problem.startsWith(`${name} must be an integer from `), problem)
      assert.ok(problem.endsWith(`, not "${value}"`), problem)
      assert.deepEqual(more, [])
    })
  }
}

for (const value of ['proxy.example.com', '10.0.0.0/33', 'true', '1']) {
  test(`TRUST_PROXY=${value} is refused: it would switch a limit off for no one, or for everyone`, () => {
    assert.deepEqual(problemsOf({ TRUST_PROXY: value }), [
      `TRUST_PROXY must list addresses or networks, such as "192.0.2.7, 10.0.0.0/8", not "${value}"`,
    ])
  })
}

const foreignDatabases = [
  'mysql://me:hunter2@db/x',
  './ledger.db',
  'sqlite:',
  'sqlite://x',
  'sqlite::memory:',
  'sqlite:file:ledger.db',
  'SQLITE:x',
]
for (const url of foreignDatabases) {
  test(`DATABASE_URL=${url} is refused, and not repeated: there may be a password in it`, () => {
    const [problem] = problemsOf({ DATABASE_URL: url })
    assert.match(
      problem!,
      /^DATABASE_URL must have the form sqlite:\.\/data\/partner-credit\.db or postgres:/,
    )
    assert.doesNotMatch(problem!, /hunter2/)
  })
}

for (const url of [
  'postgres://us%er:hunter2@db/x',
  'postgres://me:hunter2@db/x%zz',
  'postgres://me:hunter2@d%zz/x',
]) {
  test(`DATABASE_URL=${url} is refused for its %, and not repeated`, () => {
    assert.deepEqual(problemsOf({ DATABASE_URL: url, MASTER_KEY: Buffer.alloc(32).toString('base64') }), [
      'DATABASE_URL has an invalid percent escape in user, host or database: write % as %25',
    ])
  })
}

for (const key of ['short', Buffer.alloc(31).toString('base64'), Buffer.alloc(32).toString('hex')]) {
  test(`a MASTER_KEY of ${key.length} characters that is not 32 bytes in base64 is refused, and not repeated`, () => {
    const [problem] = problemsOf({ MASTER_KEY: key })
    assert.match(problem!, /^MASTER_KEY must be 32 bytes in base64/)
    assert.equal(problem!.includes(key), false)
  })
}

test('the two listeners cannot share a port, unless the system chooses both or they have different addresses', () => {
  assert.match(problemsOf({ PORT: '8081' })[0]!, /PORT and OPERATOR_PORT must differ; both are 8081/)
  assert.deepEqual(problemsOf({ PORT: '0', OPERATOR_PORT: '0' }), [])
  assert.deepEqual(problemsOf({ PORT: '8081', HOST: '192.0.2.1' }), [])
})

test('all problems are listed at once', () => {
  const environment = {
    PORT: 'x',
    OPERATOR_PORT: 'y',
    DATABASE_URL: 'z',
    MASTER_KEY: '!',
    CLOCK_WINDOW_MS: '0',
    CAP_PER_TX: '-1',
  }
  assert.equal(problemsOf(environment).length, 6)
  assert.throws(() => readConfig(environment), /^Error: 6 settings are invalid:\n/)
  assert.throws(() => readConfig({ PORT: 'x' }), /^Error: a setting is invalid:\n {2}PORT/)
})

for (const name of [
  'sslMode',
  'SSLMODE',
  'sslRootCert',
  'SSL',
  'ssl_mode',
  'ssl-mode',
  'requiressl',
  'tls',
]) {
  test(`DATABASE_URL with ${name}= is refused: it would be ignored, and the connection would be without TLS`, () => {
    const DATABASE_URL = `postgres://u@db.example.com/ledger?${name}=x&application_name=A`
    assert.deepEqual(problemsOf({ DATABASE_URL, MASTER_KEY: Buffer.alloc(32).toString('base64') }), [
      `DATABASE_URL has the parameter "${name}", which would be ignored: those for TLS are sslmode, sslrootcert, sslcert, sslkey, ssl, sslnegotiation`,
    ])
  })
}

for (const [query, problem] of [
  [
    'sslmode=require&uselibpqcompat=true',
    /with uselibpqcompat no certificate is checked\. Write sslmode=verify-full/,
  ],
  ['sslmode=verify-full&sslmode=disable', /"sslmode" more than once/],
] as const) {
  test(`DATABASE_URL with ${query} is refused: it would check less than it seems to`, () => {
    const DATABASE_URL = `postgres://u@db.example.com/ledger?${query}`
    const problems = problemsOf({ DATABASE_URL, MASTER_KEY: Buffer.alloc(32).toString('base64') })
    assert.equal(problems.length, 1)
    assert.match(problems[0]!, problem)
  })
}

function inEmptyFolder(t: TestContext): void {
  const before = process.cwd()
  process.chdir(temporaryFolder(t))
  t.after(() => process.chdir(before))
}

test('the environment counts before the .env file, which may be missing', (t) => {
  inEmptyFolder(t)
  t.after(() => {
    delete process.env.PARTNER_CREDIT_TEST_A
  })
  process.env.PARTNER_CREDIT_TEST_A = 'environment'
  assert.equal(readEnvironment().PARTNER_CREDIT_TEST_A, 'environment')
  writeFileSync('.env', 'PARTNER_CREDIT_TEST_A=file\nPARTNER_CREDIT_TEST_B="from the file" # a remark\n')
  const { PARTNER_CREDIT_TEST_A, PARTNER_CREDIT_TEST_B } = readEnvironment()
  assert.deepEqual([PARTNER_CREDIT_TEST_A, PARTNER_CREDIT_TEST_B], ['environment', 'from the file'])
})

test('a .env that begins with a byte order mark is read from its first setting on', (t) => {
  inEmptyFolder(t)
  writeFileSync('.env', Buffer.from('\ufeffPORT=1\nHOST=::1\n'))
  const { PORT, HOST } = readEnvironment()
  assert.deepEqual([PORT, HOST], ['1', '::1'])
})

for (const [name, bytes] of [
  ['UTF-16', Buffer.from('\ufeffPORT=1\n', 'utf16le')],
  ['UTF-16 without a byte order mark', Buffer.from('PORT=1\n', 'utf16le')],
  ['Latin-1', Buffer.from('OIDC_NAME=Universität\n', 'latin1')],
] as const) {
  test(`a .env in ${name} stops the start: none of its settings would count`, (t) => {
    inEmptyFolder(t)
    writeFileSync('.env', bytes)
    assert.throws(
      () => readEnvironment(),
      /\.env .* cannot be read: it is not UTF-8: save it in that encoding$/,
    )
  })
}

test('a .env that cannot be read stops the start', (t) => {
  inEmptyFolder(t)
  mkdirSync('.env')
  assert.throws(
    () => readEnvironment(),
    /^Error: \.env in the working directory cannot be read: it is a folder$/,
  )
})

test('a .env with a secret that other users may open is refused with advice, and taken when they may not', (t) => {
  inEmptyFolder(t)
  const secrets = [
    'MASTER_KEY=x',
    'OIDC_CLIENT_SECRET=x',
    'DATABASE_URL=postgres://u:secret@db.example.com/ledger',
    'DATABASE_URL=postgres://u@db.example.com/ledger?password=secret',
  ]
  for (const secret of secrets) {
    writeFileSync('.env', `${secret}\n`)
    for (const mode of [0o644, 0o640, 0o604, 0o620, 0o666]) {
      chmodSync('.env', mode)
      assert.throws(() => readEnvironment(), {
        constructor: ConfigError,
        message: new RegExp(
          `\\.env .* holds a secret and can be read or changed by other users \\(mode ${mode.toString(8)}\\): run chmod 600`,
        ),
      })
    }
    chmodSync('.env', 0o600)
    readEnvironment()
  }
})

test('a .env without a secret may be open to other users', (t) => {
  inEmptyFolder(t)
  writeFileSync('.env', 'PORT=1\nMASTER_KEY=\nDATABASE_URL=postgres://u@db.example.com/ledger\n')
  chmodSync('.env', 0o644)
  assert.equal(readEnvironment().PORT, '1')
})

test('an unknown log level is refused with the levels that exist', () => {
  assert.deepEqual(problemsOf({ LOG_LEVEL: 'loud' }), [
    'LOG_LEVEL must be one of debug, info, warn, error, fatal, silent, not "loud"',
  ])
})
