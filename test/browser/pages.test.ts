import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type axe from 'axe-core'
import type { BrowserContextOptions } from 'playwright-core'
import { overflow, violations } from '../support/axe.ts'
import { missing, startChromium } from '../support/chromium.ts'
import { docsPages } from '../support/docs-pages.ts'
import { assertLooks, brokenWords } from '../support/page-looks.ts'
import { startService } from '../support/service.ts'

/** The page of the debugger is the last, because it is used, too. The long ones are below. */
const long = ['/docs/reference', '/docs/libraries/sdk']
const paths = [
  '/docs/errors/DAILY_CAP_EXCEEDED',
  ...docsPages.filter((path) => ![...long, '/docs/signature'].includes(path)),
  '/docs/signature',
]

/** All rules are checked on one screen; on the other only the colors differ. */
const screens: { where: string; options: BrowserContextOptions; rules: axe.RunOptions }[] = [
  {
    where: 'on a wide screen in daylight',
    options: { viewport: { width: 1280, height: 800 } },
    rules: { runOnly: ['color-contrast', 'link-in-text-block'] },
  },
  {
    where: 'on a phone at night',
    options: { viewport: { width: 360, height: 740 }, isMobile: true, colorScheme: 'dark' },
    rules: {},
  },
]

describe('the pages of the docs, in a browser', { concurrency: 3 }, async () => {
  const browser = await startChromium({ after })
  const { url, operatorUrl } = await startService({ after }, {}, { nodes: 1 })

  for (const { where, options, rules } of screens) {
    test(`${where} they fit, load only from here, break no policy, and axe finds nothing`, async (t) => {
      if (browser === null) return t.skip(missing)
      const context = await browser.newContext(options)
      const page = await context.newPage()
      const complaints: string[] = []
      page.on('console', (message) => complaints.push(message.text()))
      page.on('pageerror', (error) => complaints.push(error.message))
      page.on('request', (request) => {
        if (!/^data:/.test(request.url()) && new URL(request.url()).origin !== url)
          complaints.push(request.url())
      })
      // The page of the SDK is long and looks like the reference: its colors are checked there.
      const isPhone = rules.runOnly === undefined
      for (const path of isPhone ? ['/docs/libraries/sdk', ...paths] : paths) {
        await page.goto(`${url}${path}`)
        assert.equal(await overflow(page), null)
        if (isPhone) await assertLooks(page)
        assert.deepEqual(await violations(page, rules), [], path)
      }
      await page.click('#example')
      await page.click('button[type=submit]')
      await page.waitForSelector('.verdict')
      await page.click('summary')
      assert.equal(await overflow(page), null)
      assert.deepEqual(await violations(page, rules), [], 'with a diagnosis')
      await page.check('input[value=fields]')
      assert.deepEqual(await violations(page, rules), [], 'with single fields')
      await page.goto(`${url}/docs/reference`)
      await page.waitForSelector('.try:visible')
      if (isPhone) await assertLooks(page)
      await page.click('.facts summary')
      await page.click('.response:not([open]) summary')
      await page.fill('#api-key', 'pck_nobody')
      await page.fill('#secret', 'pcs_nobody')
      await page.click('#try-award button[type=submit]')
      await page.waitForSelector('.outcome.wrong >> text=401')
      assert.equal(await overflow(page), null)
      // It is long and repetitive: all of it is checked once, and on the other screen only where the colors are.
      const colorful = ['header', '#try-award', '#award ~ .fields', '.response:nth-of-type(3)']
      const places = isPhone ? ['html'] : colorful
      assert.deepEqual(await violations(page, rules, places), [], 'the reference, with an answer')
      // The browser itself logs the 401.
      assert.deepEqual(
        complaints.splice(0).filter((text) => !/status of 401/.test(text)),
        [],
      )
      await context.close()
    })
  }

  test("axe finds nothing on the operator's page and on the pages for wrong addresses", async (t) => {
    if (browser === null) return t.skip(missing)
    const page = await browser.newPage({ viewport: { width: 390, height: 740 }, colorScheme: 'dark' })
    for (const address of [operatorUrl, `${operatorUrl}/nothing`, `${url}/nothing`]) {
      await page.goto(address)
      await page.locator('main').waitFor()
      assert.equal(await overflow(page), null)
      assert.deepEqual(await page.evaluate<string[]>(brokenWords), [], address)
      assert.deepEqual(await violations(page, {}), [], address)
    }
    await page.close()
  })
})
