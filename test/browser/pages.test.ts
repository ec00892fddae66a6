import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type axe from 'axe-core'
import type { BrowserContextOptions } from 'playwright-core'
import { overflow, violations } from '../support/axe.ts'
import { missing, startChromium } from '../support/chromium.ts'
import { docsPages } from '../support/docs-pages.ts'
import { startService } from '../support/service.ts'

/** Without the reference and the page of the SDK, which are long: see below. */
const paths = [
  ...docsPages.filter((path) => !['/docs/reference', '/docs/libraries/sdk'].includes(path)),
  '/docs/errors/DAILY_CAP_EXCEEDED',
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
      for (const path of rules.runOnly === undefined ? [...paths, '/docs/libraries/sdk'] : paths) {
        await page.goto(`${url}${path}`)
        assert.equal(await overflow(page), null)
        assert.deepEqual(await violations(page, rules), [], path)
      }
      await page.goto(`${url}/docs/signature`)
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
      await page.click('.facts summary')
      await page.click('.response:not([open]) summary')
      await page.fill('#api-key', 'pck_nobody')
      await page.fill('#secret', 'pcs_nobody')
      await page.click('#try-award button[type=submit]')
      await page.waitForSelector('.outcome.wrong >> text=401')
      assert.equal(await overflow(page), null)
      // It is long and repetitive: all of it is checked once, and on the other screen only where the colors are.
      const colorful = ['header', '#try-award', '#award ~ .fields', '.response:nth-of-type(3)']
      const places = rules.runOnly === undefined ? ['html'] : colorful
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
      assert.equal(await overflow(page), null)
      assert.deepEqual(await violations(page, {}), [], address)
    }
    await page.close()
  })

  test('examples name the service that the page came from', async (t) => {
    if (browser === null) return t.skip(missing)
    const page = await browser.newPage()
    await page.goto(`${url}/docs`)
    assert.ok((await page.textContent('pre.sh'))!.includes(`curl -s ${url}/v1/ep/webhook`))
    await page.close()
  })
})
