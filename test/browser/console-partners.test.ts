import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { sendAward } from '../../src/cli/demo/send-award.ts'
import { systemClock } from '../../src/clock.ts'
import { missing, startChromium } from '../support/chromium.ts'
import { openPage, showPath, startConsole } from '../support/console.ts'
import { covered, rememberVisible } from '../support/covered-content.ts'
import { eventually } from '../support/eventually.ts'

type Key = { apiKey: string; signingSecret: string }

describe('partners in the console, in a browser', async () => {
  const browser = await startChromium({ after })
  if (browser === null) {
    test('in a browser', (t) => t.skip(missing))
    return
  }
  const { url, partnerUrl, signedIn } = await startConsole({ after }, 'sqlite')
  const page = await signedIn(browser, 'admin', { viewport: { width: 1280, height: 900 } })
  const context = page.context()
  after(() => context.close())
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) complaints.push(message.text())
  })

  const award = (key: Key, orderId: string) =>
    sendAward(
      partnerUrl,
      key,
      { tenantId: 'shop', orderId, userEmail: 'mai@example.com', amount: 5_000 },
      systemClock.now(),
    )
  let key: Key

  /** Without loading the console again. */
  const show = (path: string) => showPath(page, path)
  /** What the line at the top of the window says, announced and visible without scrolling. */
  async function told(text: string): Promise<void> {
    const line = page.locator('.result[role="status"] .note', { hasText: text })
    await line.waitFor()
    const { y, height } = (await line.boundingBox())!
    assert.ok(y >= 0 && y + height <= 900, `visible at ${y}`)
  }
  /** The text of what has the focus, whatever becomes of the page in the next moment. */
  const focused = () =>
    page.evaluate<string>(
      'document.activeElement === document.body ? "" : document.activeElement.textContent.trim()',
    )

  test('the overview says who is close to a cap, and its charts have tables', async () => {
    await page.goto(`${url}/`)
    const near = page.locator('section.panel', { hasText: 'Nearest their daily cap' })
    await near.locator('tbody tr').first().waitFor()
    assert.match(await near.locator('tbody tr').first().innerText(), /of [\d,]+[\s\S]*%/)
    const users = page.locator('#near-users')
    await users.getByRole('rowheader', { name: 'User 1' }).waitFor()
    assert.doesNotMatch(await users.innerText(), /@/)
    await users.getByRole('button', { name: 'Show addresses' }).click()
    await users.getByText('is recorded in the access log').waitFor()
    assert.equal(await focused(), 'Hide addresses', 'the button keeps the focus')
    assert.match(await users.locator('tbody tr').first().innerText(), /@example\.com[\s\S]*of [\d,]+[\s\S]*%/)
    const chart = page.locator('section.panel', { hasText: 'Awards per hour' })
    await chart.locator('.plot').focus()
    await page.keyboard.press('Home')
    assert.match(await chart.locator('.readout').innerText(), /^00:00: today/)
    await chart.locator('summary').click()
    assert.equal(await chart.locator('tbody tr').count(), 24)
  })

  test('on a narrow screen the overview names the time zone, and long names in alerts wrap', async () => {
    await page.setViewportSize({ width: 400, height: 800 })
    await openPage(page, '/')
    const names = page.locator('ul.alerts .tag bdi')
    await names.first().waitFor()
    assert.ok(await page.getByText('Vietnam time (UTC+7)').isVisible())
    const widest = await page.evaluate<number>(
      `document.querySelectorAll('ul.alerts .tag bdi').forEach((name) => { name.textContent = 'Bookshop'.repeat(20) }),
      document.scrollingElement.scrollWidth`,
    )
    assert.ok(widest <= 400, `${widest} px wide`)
    await page.setViewportSize({ width: 1280, height: 900 })
  })

  test('refusals are followed from the count on the overview to the single one, and the filters are in the URL', async () => {
    await openPage(page, '/')
    const codes = page.locator('section.panel', { hasText: 'Refusals by code' })
    const row = codes.locator('tbody tr', { hasText: 'PER_TX_CAP_EXCEEDED' })
    const [, today] = (await row.innerText()).match(/EXCEEDED\s+(\d+)/)!
    await row.getByRole('link').first().click()
    await page.getByRole('heading', { name: 'Single refusals' }).waitFor()
    assert.match(page.url(), /\/refusals\?since=[\d-]+&until=[\d-]+&code=PER_TX_CAP_EXCEEDED$/)
    assert.match(await page.locator('.side nav [aria-current]').innerText(), /^Overview/, 'as the trail says')
    assert.equal(await page.locator('tfoot td').nth(2).innerText(), today)
    await page.selectOption('#refusals-partner', { label: 'Initech Pay' })
    await page.getByRole('link', { name: '7 days' }).click()
    await page.selectOption('#refusals-code', '')
    await page.getByRole('cell', { name: 'INVALID_SIGNATURE' }).first().waitFor()
    assert.equal(new URL(page.url()).search, '?since=7d&partner=initech')
    await page
      .getByRole('row', { name: /PER_TX_CAP_EXCEEDED.*260 EP/ })
      .getByRole('link')
      .first()
      .click()
    await page
      .getByRole('heading', { name: /^Refused: / })
      .first()
      .waitFor()
  })

  test('a partner is created, its secret is shown once, and leaving before it is copied asks', async () => {
    await openPage(page, '/partners')
    await page.click('button:has-text("Create partner")')
    assert.equal(new URL(page.url()).search, '?create=1')
    await page.fill('#new-partnerId', 'wonka')
    await page.fill('#new-name', 'Kẹo Wonka')
    await page.fill('#new-tenants', 'shop')
    const create = page.locator('dialog button:has-text("Create partner")')
    assert.equal(await create.isDisabled(), true, 'without a reason')
    await page.fill('#reason', 'Contract 12')
    await create.click()
    key = await shownKey(page)
    await page.click('dialog button:has-text("Done")')
    await page.waitForSelector('dialog :text("You have not copied the secret.")')
    await copyAndClose(context, page)
    await page.waitForSelector('h1:has-text("Kẹo Wonka")')
    await told('The partner wonka was created.')
    assert.equal(new URL(page.url()).pathname, '/partners/wonka')
    await eventually('the new key is known', async () => (await award(key, 'first')).status === 202)
  })

  test('suspending needs a reason and stops new awards; it is in the audit with name and reason', async () => {
    await openPage(page, '/partners/wonka')
    await page.click('.head button:has-text("Suspend partner")')
    await page.fill('#reason', 'Ticket 7: odd orders')
    await page.click('dialog button:has-text("Suspend partner")')
    await told('The partner is suspended.')
    await page.waitForSelector('.head .tag:has-text("Suspended")')
    assert.equal(await focused(), 'Resume partner', 'the opener has the focus')
    await eventually('it is refused', async () => (await award(key, 'second')).code === 'PARTNER_SUSPENDED')
    const change = page.locator('#changes tbody tr').first()
    await change.getByText('Ticket 7: odd orders').waitFor()
    assert.match(await change.innerText(), /a-admin[\s\S]*partner suspend[\s\S]*active → suspended/)
    await page.click('.head button:has-text("Resume partner")')
    await page.fill('#reason', 'Explained')
    await page.click('dialog button:has-text("Resume partner")')
    await page.waitForSelector('.head .tag:has-text("Active")')
    await eventually('it is credited', async () => (await award(key, 'second')).status === 202)
    await told('The partner is active again.')
    await show('/partners')
    await page.getByRole('heading', { name: 'Partners', level: 1 }).waitFor()
    await show('/partners/wonka')
    await page.waitForSelector('.head .tag:has-text("Active")')
    assert.equal(await page.locator('.result .note').count(), 0, 'a result that was left does not come back')
  })

  test('rotating gives a key that works, and the old one works until the overlap ends', async () => {
    await openPage(page, '/partners/wonka')
    await page.click('.head button:has-text("Rotate key")')
    await page.selectOption('#overlap', '604800')
    await page.fill('#reason', 'Yearly rotation')
    await page.click('dialog button:has-text("Create new key")')
    const fresh = await shownKey(page)
    await copyAndClose(context, page)
    await page.waitForSelector('#keys .tag:has-text("Expires")')
    await told('was created.')
    assert.equal(await focused(), 'Rotate key')
    await eventually('the new key is known', async () => (await award(fresh, 'third')).status === 202)
    assert.equal((await award(key, 'fourth')).status, 202)
    const change = page.locator('#changes tbody tr', { hasText: 'Yearly rotation' })
    await change.waitFor()
    assert.match((await change.locator('.change time').first().getAttribute('title'))!, / UTC$/)
    assert.doesNotMatch(await change.innerText(), /UTC/, 'times are Vietnam time')
    key = fresh
  })

  test('a cap is changed with the back-test beside it, and the page says who set it and why', async () => {
    await page.goto(`${url}/partners/wonka#caps`)
    const save = page.locator('#change-caps button.main')
    await page.locator('#change-caps summary').click()
    await page.fill('#cap-value', '1')
    await page.waitForSelector('#change-caps .stats dd:text-matches("[1-9]")')
    await page.locator('#change-caps details[open] tfoot').waitFor()
    await page
      .locator('#change-caps form .note', {
        hasText: /^1 is below today's [\d,]+ EP in shop: further awards/,
      })
      .waitFor()
    const [, refused] = (await page.locator('#change-caps .stats').innerText()).match(/now refused\s+(\d+)/)!
    assert.ok(Number(refused) > 0, 'what was credited does not fit under 1 EP')
    const cards = await page.locator('#change-caps .stats dd:not(.s)').allInnerTexts()
    const foot = await page.locator('#change-caps tfoot td').allInnerTexts()
    const figureOf = (text: string) => Number(text.replace(/[^0-9]/g, ''))
    assert.deepEqual(
      cards.map(figureOf),
      foot.slice(2).map(figureOf),
      'the cards are the totals of the table',
    )
    const plot = page.locator('#change-caps .plot')
    await plot.focus()
    await page.keyboard.press('End')
    const today = await page.locator('#change-caps tbody tr').last().innerText()
    const [, creditedToday] = (await page.locator('#change-caps .readout').innerText()).match(
      /: (\d+) EP credited/,
    )!
    assert.equal(today.split(/\s+/).at(-5), creditedToday, 'the chart shows the last row')
    assert.equal(figureOf(foot[0]!), Number(creditedToday), 'wonka has credited only today')
    await page.fill('#cap-value', '650,000')
    assert.match(await save.innerText(), /Save 650,000 EP per day/)
    assert.equal(await page.locator('#change-caps form .note').count(), 0, 'today fits under it')
    assert.equal(await save.isDisabled(), true, 'without a reason')
    await page.fill('#cap-reason', 'Year-end sale')
    await page.evaluate(rememberVisible)
    await save.click()
    await told('perPartnerDay is 650,000 EP now.')
    assert.ok((await page.evaluate<number>('scrollY')) > 100, 'in the middle of the page')
    assert.deepEqual(await page.evaluate(covered), [], 'it hides nothing that was visible')
    assert.match(
      await focused(),
      /^perPartnerDay is 650,000 EP now/,
      'Save is disabled, so the result has it',
    )
    const row = page.locator('#caps tr', { hasText: 'perPartnerDay' })
    await row.getByText('650,000 EP').waitFor()
    assert.match(await row.innerText(), /Set for the partner in shop[\s\S]*a-admin[\s\S]*“Year-end sale”/)
  })

  test('of a partner with two tenants one is charted at a time, by the URL, and perTx has no line of a day', async () => {
    await page.goto(`${url}/partners/globex#change-caps`)
    await page.selectOption('#cap-tenant', '')
    const heading = page.locator('#change-caps h3')
    const credited = () => page.locator('#change-caps tfoot td').first().innerText()
    await page.locator('#change-caps summary').click()
    assert.match(await heading.innerText(), / in t1$/)
    const inFirst = await credited()
    await page.locator('#change-caps nav').getByRole('link', { name: 't2' }).click()
    await page.locator('#change-caps h3', { hasText: 'in t2' }).waitFor()
    assert.equal(new URL(page.url()).search, '?tenant=t2')
    await page.locator('#change-caps tfoot').waitFor({ state: 'attached' })
    assert.notEqual(await page.locator('#change-caps tfoot td').first().textContent(), inFirst)
    assert.equal(await page.locator('#change-caps .rule').count(), 1)
    await page.selectOption('#cap-name', 'perTx')
    await page.fill('#cap-value', '1')
    await page.waitForSelector('#change-caps .stats dd:text-matches("[1-9]")')
    assert.equal(await page.locator('#change-caps .rule').count(), 0)
  })

  test('name, rate, perUserDay and the default caps are changed with a reason, and the audit shows each by its number', async () => {
    await openPage(page, '/partners/wonka')
    await page.click('.head button:has-text("Change name or rate")')
    await page.fill('#partner-name', 'Wonka Việt Nam')
    await page.fill('#partner-rate', '0')
    const save = page.locator('dialog button.main')
    await page.fill('#reason', 'Contract 13')
    assert.equal(await save.isDisabled(), true, 'no rate of 0')
    await page.fill('#partner-rate', '40')
    await save.click()
    await told('The name is Wonka Việt Nam now. At most 40 requests per second are taken on each node now.')
    await page.waitForSelector('h1:has-text("Wonka Việt Nam")')
    const number = page.locator('#changes tbody tr', { hasText: 'Contract 13' }).locator('a')
    const auditSeq = await number.innerText()

    await show('/partners')
    const usedUp = page.locator('dialog .note', {
      hasText: /^In shop, 1 user received \d+ EP today, which 1 is below/,
    })
    await page.click('button:has-text("Change default caps")')
    await page.fill('#default-perUserDay', '1')
    await usedUp.waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Change perUserDay in shop' }).click()
    await page.fill('#tenant-cap', '1')
    await usedUp.waitFor()
    await page.fill('#tenant-cap', '12,345')
    assert.equal(await page.locator('dialog .note').count(), 0, 'today fits under it')
    await page.fill('#reason', 'Holidays')
    await page.click('dialog button:has-text("Save 12,345 EP per day")')
    await told('perUserDay in shop is 12,345 EP now.')
    await page.getByRole('row', { name: /^shop.*12,345 EP/ }).waitFor()
    assert.match(await focused(), /^Change perUserDay/)
    await page.click('button:has-text("Change default caps")')
    await page.fill('#default-perTx', '99,999')
    await page.fill('#reason', 'New year')
    await page.click('dialog button:has-text("Save default caps")')
    await told('By default, perTx is 99,999 EP now.')
    await page.click('.result button:has-text("Dismiss")')
    await page.locator('.result .note').waitFor({ state: 'detached' })

    await show(`/audit?change=${auditSeq}`)
    const marked = page.locator('tr.marked')
    await marked.waitFor()
    assert.match(
      await marked.innerText(),
      new RegExp(`^${auditSeq}[\\s\\S]*partner change[\\s\\S]*Contract 13`),
    )
    await page.selectOption('#audit-partner', { label: 'Wonka Việt Nam' })
    await page.getByRole('row', { name: /Contract 12/ }).waitFor()
    assert.match(page.url(), /\?partner=wonka$/)
    await show('/audit?partner=wonk')
    await page.getByText('There is no partner "wonk" (did you mean "wonka"?)').waitFor()
    await show('/audit')
    for (const reason of ['Holidays', 'New year'])
      await page.getByRole('row', { name: new RegExp(reason) }).waitFor()
  })

  test('a session that has ended asks for the password, keeps what was typed, and goes on', async () => {
    await openPage(page, '/partners/wonka')
    await page.fill('#cap-reason', 'typed before the session ended')
    await context.clearCookies()
    await page.fill('#cap-value', '77,000')
    await page.waitForSelector('dialog:has-text("Your session has ended")')
    await page.fill('dialog #name', 'a-admin')
    await page.fill('dialog #password', 'correct horse battery staple')
    await page.click('dialog button:has-text("Sign in")')
    await page.waitForSelector('dialog', { state: 'detached' })
    assert.equal(await page.inputValue('#cap-reason'), 'typed before the session ended')
    assert.equal(await page.inputValue('#cap-value'), '77,000')
    assert.deepEqual(complaints, [])
  })
})

/** What the dialog shows: the only time that it is shown. */
async function shownKey(page: Page): Promise<Key> {
  const text = await page.innerText('dialog pre')
  const [, apiKey, signingSecret] = /API_KEY=(\S+)\s+SIGNING_SECRET=(\S+)/.exec(text)!
  return { apiKey: apiKey!, signingSecret: signingSecret! }
}

async function copyAndClose(context: BrowserContext, page: Page): Promise<void> {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.click('dialog button:has-text("Copy")')
  await page.waitForSelector('dialog button:has-text("Copied")')
  await page.click('dialog button:has-text("Done")')
  await page.waitForSelector('dialog', { state: 'detached' })
}
