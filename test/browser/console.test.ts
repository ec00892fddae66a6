import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type axe from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { systemClock } from '../../src/clock.ts'
import { overflow, violations } from '../support/axe.ts'
import { missing, startChromium } from '../support/chromium.ts'
import {
  complaintsOf,
  hostile,
  hostileFields,
  hostileOrder,
  openPage,
  showPath,
  startConsole,
} from '../support/console.ts'
import { eventually } from '../support/eventually.ts'
import { recordNotSound } from '../support/verify-results.ts'

/** All rules are checked on one screen; on the other only the colors differ. Each store is behind one of them. */
const screens: {
  where: string
  kind: 'sqlite' | 'postgres'
  options: BrowserContextOptions
  rules: axe.RunOptions
}[] = [
  {
    where: 'on a wide screen in daylight, on SQLite,',
    kind: 'sqlite',
    options: { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
    rules: { runOnly: ['color-contrast', 'link-in-text-block'] },
  },
  {
    where: 'on a phone at night, on PostgreSQL,',
    kind: 'postgres',
    options: { viewport: { width: 400, height: 800 }, isMobile: true, colorScheme: 'dark' },
    rules: {},
  },
]

/** Elements that the console itself never has on a page. */
const injected = '#console :is(img, script, style, iframe, object, embed, [onerror])'

describe('every page of the console, in a browser', async () => {
  const browser = await startChromium({ after })
  const onSqlite = await startConsole({ after }, 'sqlite')

  for (const { where, kind, options, rules } of screens) {
    test(`${where} it shows its data, hostile text is text, no policy is broken, it fits, and axe finds nothing`, async (t) => {
      if (browser === null) return t.skip(missing)
      const console = kind === 'sqlite' ? onSqlite : await startConsole(t, kind)
      const page = await console.signedIn(browser, 'admin', { ...options, userAgent: hostileFields.browser })
      const complaints = complaintsOf(page)
      const seen = new Set<string>()
      await walk(page, async (what) => {
        assert.equal(await page.evaluate('globalThis.pwned'), undefined, what)
        assert.equal(
          await page.evaluate(`document.querySelectorAll(${JSON.stringify(injected)}).length`),
          0,
          what,
        )
        assert.deepEqual(complaints, [], what)
        assert.equal(await overflow(page), null, what)
        assert.deepEqual(await violations(page, rules), [], what)
        assert.doesNotMatch(page.url(), /@|%40/, what)
        const text = await page.evaluate<string>('document.body.textContent')
        for (const [field, value] of Object.entries(hostileFields)) if (text.includes(value)) seen.add(field)
      })
      assert.deepEqual(seen, new Set(Object.keys(hostileFields)), 'every field was looked at')
      await page.context().close()
    })
  }

  test('a NOT SOUND that a run from here does not clear stays on the page of the ledger', async (t) => {
    if (browser === null) return t.skip(missing)
    const page = await onSqlite.signedIn(browser, 'support')
    await recordNotSound(onSqlite.database, systemClock.now())
    await openPage(page, '/ledger')
    await page.getByRole('button', { name: 'Start verification' }).click()
    await page.getByText('Sound.', { exact: true }).waitFor()
    await eventually('the page says so', async () => {
      await openPage(page, '/ledger')
      await page.getByText('Sound.', { exact: true }).waitFor()
      return page.getByText('A verify found this at').isVisible()
    })
    await page.context().close()
  })

  test('a wrong password is said, and after several there is a pause that counts down', async (t) => {
    if (browser === null) return t.skip(missing)
    const other = await browser.newContext()
    const signInPage = await other.newPage()
    await signInPage.goto(`${onSqlite.url}/partners?status=suspended`)
    const attempt = async () => {
      await signInPage.fill('#name', 'a-viewer')
      await signInPage.fill('#password', 'not it')
      await signInPage.click('button.main:has-text("Sign in")')
      await signInPage.waitForSelector('.note.bad')
    }
    await attempt()
    assert.match(await signInPage.innerText('.note.bad'), /wrong/)
    await eventually('it is paused', async () => {
      if (await signInPage.locator('button.main:disabled').isVisible()) return true
      await attempt()
      return false
    })
    assert.match(await signInPage.innerText('button.main'), /Sign in \(\d+ s\)/)
    await other.close()
  })
})

/** Goes through every page as an operator does, within the console, and calls back on each when its data is there. */
async function walk(page: Page, look: (what: string) => Promise<void>): Promise<void> {
  const open = async (path: string, title: string, shows: string) => {
    await showPath(page, path)
    await eventually(`the title of ${path}`, async () => (await page.title()).startsWith(title))
    await page.locator('main').getByText(shows).first().waitFor()
    await look(path)
  }
  const heading = (name: string) => page.getByRole('heading', { name }).first().waitFor()
  const find = async (text: string) => {
    await page.fill('#find-text', text)
    await page.keyboard.press('Enter')
  }
  await page.locator('main').getByText('initech').first().waitFor()
  await look('the overview')
  await open('/partners', 'Partners', hostile)
  await open('/partners/evil', hostile, 'Suspend')
  await open('/refusals?all=1&since=30d', 'Refusals', 'Single refusals')
  await open('/find', 'Find', 'What do you know about it?')
  await find(hostile)
  await heading('is not in the ledger')
  await look('nothing found')
  await find(hostileOrder)
  await heading('Credited')
  await look('the results of a search')
  await page.locator('a[href^="/awards/"]').click()
  await heading(`5 EP for order ${hostile}`)
  await look('one award')
  await page.locator('main a[href^="/refusals/"]').click()
  await heading('Refused: order ID used before')
  await look('one refusal')
  await open('/find', 'Find', 'What do you know about it?')
  await find(hostileFields.user)
  await heading(hostileFields.user)
  await page.getByRole('cell', { name: hostile }).first().waitFor()
  await look('a user')
  await open('/reports?day=2001-01-01', 'Report, 1 Jan 2001', 'No awards and no refusals')
  await open('/reports?period=month', 'Report', 'EP credited per day')
  await open('/audit', 'Audit', hostileFields.reason)
  await open('/audit?kind=access', 'Audit', 'Read personal data')
  await open('/operators', 'Operators and tokens', hostile)
  await open('/account', 'Your account', 'Sign out everywhere')
  await open('/ledger', 'Ledger', 'Account heads')
  await page.getByRole('button', { name: 'Start verification' }).click()
  await page.getByText('Sound.').waitFor()
  await look('the ledger')
}
