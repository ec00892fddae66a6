import pino from 'pino'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { sendAward } from '../../src/cli/demo/send-award.ts'
import { serveWithPast } from '../../src/cli/demo/serve-with-past.ts'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { createOperator } from '../../src/operator/access/operators.ts'
import { createPasswords } from '../../src/operator/access/passwords.ts'
import type { Role } from '../../src/operator/access/permissions.ts'
import { createToken } from '../../src/operator/access/tokens.ts'
import { createPartner } from '../../src/partners/create-partner.ts'
import { suspendPartner } from '../../src/partners/set-partner-status.ts'
import { type DatabaseLocation, openStore } from '../../src/stores/open.ts'
import { eventually } from './eventually.ts'
import { freshDatabase } from './fresh-database.ts'
import { anAccount, putAccount } from './operator-accounts.ts'
import { aChange } from './operators.ts'
import type { Lifetime } from './service.ts'

/** Markup and quotes, for every field that somebody else fills in. */
export const hostile = '"><img src=x onerror=globalThis.pwned=1><script>pwned=1</script>{{7*7}}'
/** Orders and notes may also change the direction of text. */
export const hostileOrder = `${hostile}order\u202eabc`

/**
 * What stands in every field that is stored and shown. Names of tenants and operators cannot be like this: they are put past
 * the rules, as somebody with SQL could do it. An address has the worst that is allowed in one. Keys have no label, and meta
 * is not shown.
 */
export const hostileFields = {
  partner: `${hostile}partner`,
  tenant: `${hostile}tenant`,
  order: hostileOrder,
  note: `${hostile}note\u202eabc`,
  user: "'onerror=pwned=1//{{7*7}}&lt|`@example.com",
  reason: `${hostile}reason`,
  actor: `${hostile}actor`,
  address: `${hostile}address`,
  token: `${hostile}token`,
  operator: `${hostile}operator`,
  browser: `${hostile}browser`,
} as const

type Account = { name: string; password: string }

type TestConsole = {
  /** Where the console is. */
  url: string
  partnerUrl: string
  database: DatabaseLocation
  /** A page in a context of its own, after signing in by the form, as an operator of this role does, or this one. */
  signedIn(browser: Browser, as: Role | Account, options?: BrowserContextOptions): Promise<Page>
}

/**
 * A service with the past of the demo, an operator of each role, and a partner whose name, orders, notes and reasons are
 * hostile.
 */
export async function startConsole(
  test: Lifetime,
  kind: 'sqlite' | 'postgres',
  options: { latencyEveryMs?: number } = {},
): Promise<TestConsole> {
  const database = await freshDatabase(kind)
  const config = readConfig({
    PORT: '0',
    OPERATOR_PORT: '0',
    DATABASE_URL: database.url,
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  })
  const { service } = await serveWithPast(config, { systemClock, log: pino({ level: 'silent' }), ...options })
  test.after(async () => {
    await service.stop()
    await database.remove()
  })
  const password = 'correct horse battery staple'
  const store = await openStore(config.database)
  try {
    const { reason, address } = hostileFields
    const by = { actor: `cli:${hostileFields.actor}`, now: systemClock.now(), reason, address } as const
    const passwords = createPasswords({ memory: 32, passes: 1, parallelism: 1 })
    const access = { accounts: store.operators, passwords, by }
    for (const role of ['viewer', 'support', 'admin'] as const)
      await createOperator(access, { operatorId: `a-${role}`, role, password })
    const expiresAt = by.now + 86_400_000
    await createToken(access, {
      name: hostileFields.token,
      scopes: ['figures.read'],
      operatorId: null,
      expiresAt,
    })
    const operator = { store: store.partners, ...by }
    const partner = {
      partnerId: 'evil',
      name: hostileFields.partner,
      tenants: ['t1'],
      perTx: 50,
      perPartnerDay: 100,
    }
    const key = await createPartner(operator, partner, config.masterKey!)
    const { order: orderId, user: userEmail, note } = hostileFields
    const award = { tenantId: 't1', orderId, userEmail, note }
    const send = (changed: { amount: number; orderId?: string }) =>
      sendAward(service.partnerUrl, key, { ...award, ...changed }, systemClock.now())
    await eventually('the new key is known', async () => (await send({ amount: 5_000 })).status === 202)
    await send({ amount: 6_000 })
    await send({ orderId: `${hostileOrder}2`, amount: 60_000 })
    await suspendPartner(operator, 'evil')
    const change = aChange({ ...by, at: by.now, action: 'tenant create' })
    const tenant = {
      tenantId: hostileFields.tenant,
      mode: 'live',
      perUserDay: null,
      createdAt: by.now,
    } as const
    await store.partners.changeTenant(tenant.tenantId, change, () => tenant)
    await putAccount(
      { accounts: store.operators } as never,
      anAccount({ operatorId: hostileFields.operator }),
    )
    await service.lookNow()
  } finally {
    await store.close()
  }
  return {
    url: service.operatorUrl,
    partnerUrl: service.partnerUrl,
    database: config.database,
    async signedIn(browser, as, options = {}) {
      const account = typeof as === 'string' ? { name: `a-${as}`, password } : as
      const page = await (await browser.newContext(options)).newPage()
      await page.goto(`${service.operatorUrl}/sign-in`)
      await page.fill('#name', account.name)
      await page.fill('#password', account.password)
      await page.click('button:has-text("Sign in")')
      await page.waitForSelector('main h1:has-text("Overview")')
      return page
    },
  }
}

/**
 * Opens a page of the console afresh, as its links do, without loading the console again: that takes a second of a
 * processor, and so only some tests do it.
 */
export async function openPage(page: Page, path: string): Promise<void> {
  await showPath(page, '/account')
  await page.getByRole('heading', { name: 'Your account', level: 1 }).waitFor()
  await showPath(page, path)
}

export async function showPath(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}), dispatchEvent(new PopStateEvent('popstate'))`,
  )
}

/** What the browser says about the page from now on: errors, broken policies, and requests that go elsewhere. */
export function complaintsOf(page: Page): string[] {
  const { origin } = new URL(page.url())
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('dialog', (dialog) => complaints.push(dialog.message()))
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== origin)
      complaints.push(request.url())
  })
  return complaints
}
