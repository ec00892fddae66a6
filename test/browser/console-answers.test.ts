import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { sendAward } from '../../src/cli/demo/send-award.ts'
import { systemClock } from '../../src/clock.ts'
import { missing, startChromium } from '../support/chromium.ts'
import { openPage, startConsole } from '../support/console.ts'
import { eventually } from '../support/eventually.ts'

/** By the past of the demo: src/cli/demo/past.ts. */
describe('the console answers, in a browser', async () => {
  const browser = await startChromium({ after })
  const console = await startConsole({ after }, 'sqlite', { latencyEveryMs: 1_000 })
  let page: Page
  before(async () => {
    if (browser === null) return
    page = await console.signedIn(browser, 'admin', { permissions: ['clipboard-read', 'clipboard-write'] })
  })
  const heading = (name: string) => page.getByRole('heading', { name }).first().waitFor()
  const search = async (text: string) => {
    await page.keyboard.press('/')
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
  }
  const copyAndClose = async () => {
    await page.locator('dialog').getByRole('button', { name: 'Copy', exact: true }).click()
    await page.locator('dialog').getByRole('button', { name: 'Copied' }).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
  }
  const copied = () => page.evaluate<string>('navigator.clipboard.readText()')

  /** A request for an award that is refused. */
  const sendUnsigned = () =>
    sendAward(
      console.partnerUrl,
      { apiKey: 'pck_nobody', signingSecret: 'pcs_nobody' },
      { tenantId: 't1', orderId: 'x', userEmail: 'x@example.com', amount: 1_000 },
      systemClock.now(),
    )

  test('by keyboard: why order A-10503 got 133 EP and not 134; its title has the focus', async (t) => {
    if (browser === null) return t.skip(missing)
    await heading('Overview')
    await search('A-10503')
    await heading('133 EP for order A-10503')
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'H1')
    await heading('Why 133 EP and not 134')
    assert.match((await page.textContent('dl.sum'))!, /133,399.*÷ 1,000.*133\.399.*133 EP.*399$/s)
    await page.getByText('Hash checked now: matches').waitFor()
    await page
      .locator('section.panel', { hasText: 'Sent again' })
      .getByText('none', { exact: true })
      .waitFor()
    assert.match(await page.title(), /^133 EP for order A-10503/)

    await page.keyboard.press('Tab')
    while ((await page.evaluate('document.activeElement.textContent.trim()')) !== 'Copy for the partner')
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('Copied').first().waitFor()
    assert.match(
      await copied(),
      /^Order A-10503 in tenant t1 was credited .* \(UTC\+7\)\.\n.*\n\nYou sent amount 133399\./,
    )
  })

  test('why order GX70691 was refused, without a word to the partner of what the user received', async (t) => {
    if (browser === null) return t.skip(missing)
    await search('GX70691')
    await page.locator('a[href^="/refusals/"]').first().click()
    await heading('Refused: daily cap of the user')
    assert.match(await page.title(), /^Refused: daily cap of the user/)
    await page.getByText("460 EP were requested, and the user's day had less room than that.").waitFor()
    await page.getByRole('button', { name: 'Copy for the partner' }).click()
    await page.getByText('Copied').first().waitFor()
    assert.match(await copied(), /^Order GX70691 in tenant t1 was refused.*cap perUserDay.*which is 900 EP/s)
    assert.doesNotMatch(await copied(), /\b(left|used|lan@)/)

    const again = page.locator('section.panel', { hasText: 'If it were sent again' })
    await again.getByText('it depends on the user, who is not on record').waitFor()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const check = async (address: string, answer: RegExp) => {
      await page.fill('#refused-user', address)
      await page.keyboard.press('Enter')
      await again.getByText(answer).waitFor()
    }
    await check('nobody', /is not an address/)
    await check('Somebody.New@example.com', /Now, to this user/)
    assert.match(await again.innerText(), /Now, to this user\s+Fits with 460 EP/)
    assert.ok(
      asked.some((url) => new URL(url).pathname.endsWith('/now')) && !asked.some((url) => /@|%40/.test(url)),
    )
    await page.fill('#refused-user', '')
    await again.getByText('it depends on the user, who is not on record').waitFor()
  })

  test('an order that was sent twice says so: how often, how soon and with which key', async (t) => {
    if (browser === null) return t.skip(missing)
    await page.goto(`${console.url}/find?q=GX70502`)
    const panel = page.locator('section.panel', { hasText: 'Sent again' })
    await panel.locator('tbody tr').waitFor()
    assert.match(await panel.locator('tbody tr').innerText(), /^key_\w+\s+1\s+[01]\.\d s \(.*\)\s+[01]\.\d s/)
    await panel.getByText(/^Replays are on record since /).waitFor()
    await panel.getByText(/that day, of all orders: \d+ \(.*within 10 s/).waitFor()
  })

  test('the response times of awards are charted as the process measured them, and the table has the same', async (t) => {
    if (browser === null) return t.skip(missing)
    type Hour = { minutes: { requests: number; p50Ms: number; p99Ms: number }[] }
    let hour: Hour = { minutes: [] }
    await eventually('a minute with awards is measured', async () => {
      await Promise.all(Array.from({ length: 20 }, sendUnsigned))
      const [response] = await Promise.all([page.waitForResponse(/\/overview$/), openPage(page, '/')])
      hour = (await response.json()).latencyHour
      return hour.minutes.length > 0
    })
    const chart = page.locator('#response-time')
    await chart.locator('.plot').waitFor()
    // Here a "minute" is a second, and the chart has one place for a minute: its last.
    const { requests, p50Ms, p99Ms } = hour.minutes.at(-1)!
    const ms = (value: number) => (value < 10 ? value.toFixed(1) : String(Math.round(value)))
    await chart.locator('.plot').focus()
    await page.keyboard.press('End')
    const readout = () => chart.locator('.readout').innerText()
    while (/no awards/.test(await readout())) await page.keyboard.press('ArrowLeft')
    const measured = `p50 ${ms(p50Ms)} ms, p99 ${ms(p99Ms)} ms, ${requests} requests`
    assert.match(await readout(), new RegExp(`^\\d\\d:\\d\\d: ${measured.replaceAll('.', '\\.')}$`))
    await chart.locator('summary').click()
    const last = await chart.locator('tbody tr').last().innerText()
    assert.deepEqual(last.split(/\s+/).slice(1), [String(requests), ms(p50Ms), ms(p99Ms)])
    for (const line of ['.l-now', '.l-blue']) {
      const shape = await chart.locator(`path${line}`).getAttribute('d')
      assert.match(shape!, /^M[\d. ]+(h0|L)/, 'also a single minute is drawn')
    }
  })

  test('older refusals are added below, page by page, until there are no more', async (t) => {
    if (browser === null) return t.skip(missing)
    await Promise.all(Array.from({ length: 120 }, sendUnsigned))
    const rows = page.getByRole('region', { name: 'Single refusals' }).locator('tbody tr')
    const older = page.getByRole('button', { name: 'Load older' })
    await eventually('the journal has more than a page of them', async () => {
      await openPage(page, '/refusals?all=1&since=30d')
      await rows.first().waitFor()
      return (await older.count()) > 0
    })
    const first = await rows.count()
    const [newest] = await rows.allInnerTexts()
    while ((await older.count()) > 0) {
      const before = await rows.count()
      await older.click()
      await rows.nth(before).waitFor()
    }
    const all = await rows.count()
    assert.ok(all > first, `${first} of ${all}`)
    assert.equal((await rows.allInnerTexts())[0], newest)
    await page.getByText(`newest first, ${all} loaded`).waitFor()
    const keys = await rows.locator('code').evaluateAll((ids) => ids.map((id) => id.getAttribute('title')))
    assert.equal(new Set(keys).size, all, 'each once')
  })

  test('an address is looked up without standing in a URL, and a single user is opened at once', async (t) => {
    if (browser === null) return t.skip(missing)
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await search('qa@example.com')
    await heading('qa@example.com')
    assert.match(page.url(), /\/users\/t1-test\?ref=[\w-]+$/)
    assert.equal(await page.title(), 'EP history – Partner Credit')
    await page.getByRole('row', { name: /Acme Books.*test-3/ }).waitFor()
    assert.deepEqual(
      asked.filter((url) => /@|%40/.test(url)),
      [],
    )
  })

  test('a report is saved as CSV, with the same figures', async (t) => {
    if (browser === null) return t.skip(missing)
    await openPage(page, '/reports')
    const total = page.locator('tfoot td').nth(1)
    await total.waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ])
    assert.match(download.suggestedFilename(), /^report-\d{4}-\d\d-\d\d\.csv$/)
    const [head, ...rows] = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n')
    assert.match(head!, /^partner,partnerName,tenant,awards,points,.*,refusedPoints,/)
    assert.ok(rows.some((row) => row.startsWith('acme,Acme Books,t1,')))
    const awards = rows.reduce((sum, row) => sum + Number(row.split(',')[3]), 0)
    assert.equal(await total.textContent(), awards.toLocaleString('en-US'))
  })

  test('a viewer sees no address and no note, and is told which role has them', async (t) => {
    if (browser === null) return t.skip(missing)
    const viewer = await console.signedIn(browser, 'viewer')
    await openPage(viewer, '/find?q=A-10503')
    await viewer.getByRole('heading', { name: '133 EP for order A-10503' }).waitFor()
    await viewer.getByText('Your role does not see personal data').first().waitFor()
    assert.doesNotMatch((await viewer.textContent('main'))!, /@example\.com|Order A-10503(?! in)/)
    await viewer.goto(`${console.url}/users/t1?ref=x`)
    await viewer.getByRole('heading', { name: 'Your role may not open this page' }).first().waitFor()
    assert.match((await viewer.textContent('main'))!, /which the role support or admin has/)
    await viewer.fill('#q', 'lan@example.com')
    await viewer.press('#q', 'Enter')
    await viewer.getByRole('heading', { name: 'Your role cannot search for an address' }).waitFor()
    const said = (await viewer.textContent('main'))!
    assert.match(said, /the role viewer.*the role support or admin can search for addresses/s)
    assert.doesNotMatch(said, /not in the ledger/)
    await viewer.context().close()
  })

  test('on a phone, everybody finds how to change the password and to sign out everywhere, behind the own name', async (t) => {
    if (browser === null) return t.skip(missing)
    const options = { viewport: { width: 400, height: 800 }, isMobile: true }
    const viewer = await console.signedIn(browser, 'viewer', options)
    const menu = viewer.getByRole('button', { name: 'Menu' })
    await menu.click()
    await viewer.getByRole('link', { name: 'Your account', exact: true }).waitFor()
    await viewer.keyboard.press('Escape')
    await viewer.getByRole('link', { name: 'Your account', exact: true }).waitFor({ state: 'hidden' })
    assert.equal(await viewer.evaluate('document.activeElement.textContent.trim()'), 'Menu')
    await viewer.getByRole('link', { name: 'Your account, a-viewer' }).click()

    const change = async (current: string, next: string) => {
      await viewer.fill('#own-current', current)
      await viewer.fill('#own-next', next)
      await viewer.getByRole('button', { name: 'Change password' }).click()
    }
    await change('not it', 'another long password')
    await viewer.getByText('The current password is wrong.').waitFor()
    await change('correct horse battery staple', 'another long password')
    await viewer.locator('[role="status"]', { hasText: 'Your password is changed.' }).waitFor()
    assert.match(await viewer.evaluate('document.activeElement.textContent'), /Your password is changed/)
    await viewer.getByRole('button', { name: 'Sign out everywhere' }).click()
    await viewer
      .locator('[role="status"]', { hasText: 'You are signed out everywhere: 1 session ended.' })
      .waitFor()
    await viewer.context().close()
  })

  test('by keyboard: an operator is added, the password is shown once, and the audit says who did it and why', async (t) => {
    if (browser === null) return t.skip(missing)
    await openPage(page, '/operators')
    await page.locator('h1:focus').waitFor() // the new page takes the focus, and must not take it from the button
    const add = page.getByRole('button', { name: 'Add operator' }).first()
    await add.focus()
    await page.keyboard.press('Enter')
    await page.locator('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.locator('button:focus', { hasText: 'Add operator' }).waitFor() // given back in a later turn

    await page.keyboard.press('Enter')
    await page.fill('#operator-name', 'quang')
    await page.selectOption('#role', 'support')
    const submit = page.locator('dialog button.main')
    assert.equal(await submit.isDisabled(), true, 'without a reason')
    await page.fill('#reason', 'new in the support team')
    await submit.click()
    const password = await page.locator('dialog pre').textContent()
    assert.ok(password!.length >= 12)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('It will be lost.').waitFor()
    await copyAndClose()
    await page.getByText('quang can sign in with the new password.').waitFor()
    assert.doesNotMatch((await page.content())!, new RegExp(password!.replace(/[^\w]/g, '\\$&')))

    const quang = await console.signedIn(browser, { name: 'quang', password: password! })
    await openPage(quang, '/operators')
    await quang.getByRole('heading', { name: 'Your role may not open this page' }).first().waitFor()
    assert.equal(await quang.getByText('a-viewer').count(), 0, 'support does not see who has access')
    await quang.context().close()

    await openPage(page, '/audit')
    await page
      .getByRole('row', { name: /a-admin.*operator create.*quang.*role.*support.*new in the support team/s })
      .waitFor()
  })

  test('a token is shown once, works with its scopes only, and stops working when it is revoked', async (t) => {
    if (browser === null) return t.skip(missing)
    await openPage(page, '/operators')
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.fill('#token-name', 'nightly report')
    await page.getByLabel('figures.read').check()
    await page.fill('#reason', 'report for Finance')
    await page.locator('dialog button.main').click()
    const token = (await page.locator('dialog pre').textContent())!
    assert.match(token, /^pct_/)
    await copyAndClose()
    const status = async (path: string) =>
      (await fetch(`${console.url}/operator/v1${path}`, { headers: { authorization: `Bearer ${token}` } }))
        .status
    assert.deepEqual([await status('/overview'), await status('/audit')], [200, 403])

    await page.getByRole('button', { name: /^Revoke +nightly report$/ }).click()
    await page.fill('#reason', 'no longer needed')
    await page.locator('dialog button.dangerfill').click()
    await page.locator('[role="status"]', { hasText: 'The token is revoked.' }).waitFor()
    await page.getByRole('button', { name: /^Revoke +nightly report$/ }).waitFor({ state: 'detached' })
    const focused = await page.evaluate<string>('document.activeElement.textContent')
    assert.match(focused, /The token is revoked/, 'its button is gone, so the result has the focus')
    assert.equal(await status('/overview'), 401)
  })
})
