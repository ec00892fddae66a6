import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { readRequest } from '../../src/doctor/read-request.ts'
import { allowTenant } from '../../src/partners/allow-tenant.ts'
import { insecureHost, missing, startChromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { startService } from '../support/service.ts'

describe('trying requests on the reference, in a browser', async () => {
  const browser = await startChromium({ after })
  const { url, acme, clock, log, operate } = await startService({ after }, {}, { nodes: 1 })
  const secret = acme.signingSecret
  /** Everything that the page sent or logged: addresses, headers, bodies, the console. */
  const left: string[] = []
  const calls = () => left.filter((line) => line.includes(`${url}/v1/`)).length
  let page: Page

  before(async () => {
    if (browser === null) return
    clock.set(Date.now()) // the page has the time of its browser
    page = await browser.newPage()
    page.on('request', (request) =>
      left.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postData()}`),
    )
    page.on('console', (message) => left.push(message.text()))
    page.on('pageerror', (error) => assert.fail(error))
    await page.goto(`${url}/docs/reference`)
    await page.waitForSelector('#key-form:visible')
  })

  test('without a key nothing is sent, and the page asks for it where it is entered', async (t) => {
    if (browser === null) return t.skip(missing)
    await page.click('#try-award [type=submit]')
    assert.equal(await page.textContent('#key-hint'), 'Enter your API key first.')
    assert.equal(await page.evaluate('document.activeElement.id'), 'api-key')
    await page.fill('#api-key', 'pck_\u2026')
    await page.click('#try-award [type=submit]')
    assert.match((await page.textContent('#key-hint'))!, /a character that is not allowed in a header/)
    await page.fill('#api-key', acme.apiKey)
    await page.click('#try-awards [type=submit]')
    assert.match((await page.textContent('#key-hint'))!, /^Enter your signing secret first/)
    assert.equal(await page.evaluate('document.activeElement.id'), 'secret')
    await page.fill('#secret', secret)
    assert.equal(await page.textContent('#key-hint'), '')
    assert.equal(calls(), 0)
  })

  test('the forms begin with a sandbox tenant, and its responses are marked', async (t) => {
    if (browser === null) return t.skip(missing)
    await operate((operator) => allowTenant(operator, 'acme', 't1-test', 'sandbox'))
    await eventually('the tenant is known', async () => (await acme.history('t1-test')).status === 200)
    const award = await pressed(page, '#try-award', '[type=submit]')
    assert.match(award.outcome, /^202 Accepted · sandbox: does not count · \d+ ms/)
    assert.match(award.blocks.Response!, /"orderId": "test-/)
    assert.match(award.blocks['Response headers']!, /^ep-sandbox: true$/m)
    const page1 = await pressed(page, '#try-awards', '[type=submit]')
    assert.match(page1.outcome, /^200 OK · sandbox: does not count · /)
    assert.match(page1.blocks.Response!, /"tenantId": "t1-test"/)
  })

  test('an award is signed in the page and credited, byte for byte as it was written', async (t) => {
    if (browser === null) return t.skip(missing)
    const warning = await page.getAttribute('#try-award [type=submit]', 'aria-describedby')
    assert.match((await page.textContent(`#${warning}`))!, /it credits EP on this server/)
    await page.fill('#award-body', awkward)
    const shown = await pressed(page, '#try-award', '[type=submit]')
    assert.match(shown.outcome, /^202 Accepted · \d+ ms · request [\w-]+$/)
    assert.equal(JSON.parse(shown.blocks.Response!).points, 5)
    assert.match(shown.blocks['Response headers']!, /^ep-partner-day-remaining: 999995$/m)
    const { body } = await acme.history('t1')
    assert.deepEqual([body.items[0].orderId, body.items[0].note], ['it\u2019s 1', "it's a \u{1f381}"])

    const reading = readRequest(shown.blocks['As a curl command']!)
    assert.ok(reading.ok)
    const { body: bytes, apiKey, timestamp, signature } = reading.request
    assert.equal(new TextDecoder().decode(bytes), awkward)
    const right = acme.headers(awkward, timestamp[0]!)
    assert.deepEqual([apiKey, signature], [[right['X-Api-Key']], [right['X-Signature']]])
    assert.ok(shown.blocks.signed!.startsWith(`${timestamp[0]}.{⟨LF⟩"tenantId": "t1"`))
  })

  test('a new orderId makes another order of the same body; the same again is a duplicate', async (t) => {
    if (browser === null) return t.skip(missing)
    await page.click('#try-award [data-action=new-order]')
    const body = await page.inputValue('#award-body')
    const { orderId } = JSON.parse(body)
    assert.match(orderId, /^try-[0-9a-z]+-[0-9a-z]{4}$/)
    assert.equal(body, awkward.replace('it\u2019s 1', orderId))
    assert.match((await pressed(page, '#try-award', '[type=submit]')).outcome, /^202 /)
    assert.match((await pressed(page, '#try-award', '[type=submit]')).outcome, /^200 OK · DUPLICATE · /)
  })

  test('the history lists it, page by page', async (t) => {
    if (browser === null) return t.skip(missing)
    await page.fill('#awards-tenantId', 't1')
    await page.fill('#awards-limit', '1')
    const first = await pressed(page, '#try-awards', '[type=submit]')
    assert.match(first.outcome, /^200 OK · \d+ ms/)
    assert.match(first.blocks.Response!, /"orderId": "try-/)
    assert.match(first.blocks.signed!, /^\d{13}\.t1$/)
    const second = await pressed(page, '#try-awards', '[data-action=next]')
    assert.match(second.blocks.Response!, /"orderId": "it\u2019s 1"/)
    assert.match(
      second.blocks.Request!,
      /^GET \/v1\/ep\/webhook\/awards\?tenantId=t1&limit=1&cursor=[\w-]+$/m,
    )
    assert.equal(await page.isVisible('#try-awards [data-action=next]'), false)
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Send')
  })

  test('an error links to its page; neither input nor response is ever read as HTML', async (t) => {
    if (browser === null) return t.skip(missing)
    await page.fill('#awards-tenantId', '<img src=x onerror=alert(1)>')
    const shown = await pressed(page, '#try-awards', '[type=submit]')
    assert.match(shown.outcome, /^400 Bad Request · INVALID_REQUEST · /)
    assert.deepEqual(shown.links, ['/docs/errors/INVALID_REQUEST'])
    assert.ok(shown.blocks.signed!.endsWith('.<img src=x onerror=alert(1)>'))
    assert.equal(await page.locator('.try img').count(), 0)
  })

  test('signing only shows the request and sends nothing', async (t) => {
    if (browser === null) return t.skip(missing)
    const before = calls()
    const shown = await pressed(page, '#try-award', '[data-action=sign]')
    assert.equal(shown.outcome, 'Signed, not sent.')
    assert.match(shown.blocks['As a curl command']!, /X-Signature: [0-9a-f]{64}'/)
    assert.equal(calls(), before)
  })

  test('a wrong secret is a 401 that links to the debugger', async (t) => {
    if (browser === null) return t.skip(missing)
    await page.fill('#secret', `${secret}x`)
    const shown = await pressed(page, '#try-award', '[type=submit]')
    assert.match(shown.outcome, /^401 Unauthorized · INVALID_SIGNATURE · /)
    assert.deepEqual(shown.links, ['/docs/errors/INVALID_SIGNATURE', '/docs/signature'])
    await page.fill('#secret', secret)
  })

  test('no response: the page says that the same order is to be sent again', async (t) => {
    if (browser === null) return t.skip(missing)
    await page.context().setOffline(true)
    const { outcome } = await pressed(page, '#try-award', '[type=submit]')
    await page.context().setOffline(false)
    assert.match(
      outcome,
      /did not respond\. The award may or may not have been credited\. Send the same orderId again/,
    )
  })

  test('it works with the keyboard alone; what has the focus shows it, what happens is announced', async (t) => {
    if (browser === null) return t.skip(missing)
    const focused = () =>
      page.evaluate<[string, string]>(
        '(({ id, ariaLabel, textContent }) => [id || ariaLabel || textContent.trim(), getComputedStyle(document.activeElement).outlineStyle])(document.activeElement)',
      )
    await page.focus('#api-key')
    const order: string[] = []
    while (order.at(-1) !== 'Send the award' && order.length < 12) {
      await page.keyboard.press('Tab')
      const [name, outline] = await focused()
      assert.equal(outline, 'solid', name)
      order.push(name)
      if (name === 'show-secret') await page.keyboard.press('Space')
    }
    assert.match(
      order.join(),
      /^secret,show-secret,Copy,Pattern of \d+ characters,award-body,Send the award$/,
    )
    assert.equal(await page.getAttribute('#secret', 'type'), 'text')
    await page.keyboard.press('Enter')
    const outcome = page.locator('#try-award .outcome[role=status]', { hasText: 'DUPLICATE' })
    await outcome.waitFor()
  })

  test('after all this the secret was nowhere but in its field, and is gone when the page is left', async (t) => {
    if (browser === null) return t.skip(missing)
    assert.equal(await page.inputValue('#secret'), secret)
    const kept = await page.evaluate<string>(
      'JSON.stringify([localStorage, sessionStorage, document.cookie, history.state, location.href, history.length])',
    )
    const places = { page: await page.content(), kept, left: left.join('\n'), log: log.join('\n') }
    for (const [place, text] of Object.entries(places)) {
      assert.ok(!text.includes(secret) && !text.includes(secret.slice(4)), place)
    }
    assert.equal(kept, JSON.stringify([{}, {}, '', null, `${url}/docs/reference`, 2]))
    for (const line of left.filter((line) => line.startsWith('http')))
      assert.ok(line.startsWith(`${url}/`), line)
    assert.ok(calls() > 7)

    // As when a browser keeps the page in its back/forward cache, which an automated browser does not do.
    await page.evaluate('dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }))')
    await assertForgotten(page)
    await page.fill('#secret', secret)
    await page.goto(`${url}/docs`)
    await page.goBack()
    await page.waitForSelector('#key-form:visible')
    await assertForgotten(page)
  })

  test('where a browser cannot sign, or runs no scripts, it says so, and all can be read', async (t) => {
    if (browser === null) return t.skip(missing)
    await page.goto(`${url.replace('127.0.0.1', insecureHost)}/docs/reference`)
    await page.waitForSelector('#insecure:visible')
    assert.equal(await page.locator('form:visible').count(), 0)
    const without = await browser.newPage({ javaScriptEnabled: false })
    await without.goto(`${url}/docs/reference`)
    assert.ok(await without.isVisible('noscript p'))
    assert.equal(await without.locator('form:visible').count(), 0)
    const answers = await without.locator('.response').count()
    assert.ok(answers > 20)
    assert.equal(await without.locator('.response > summary:visible').count(), answers)
    await without.close()
  })
})

async function assertForgotten(page: Page): Promise<void> {
  assert.deepEqual([await page.inputValue('#secret'), await page.inputValue('#api-key')], ['', ''])
  assert.equal(await page.getAttribute('#secret', 'type'), 'password')
  assert.equal(await page.textContent('#try-award .exchange'), '')
}

/** With characters that are special in a shell, in JSON or in UTF-8. */
const awkward = `{
"tenantId": "t1", "orderId": "it\u2019s 1",
  "userEmail": "ann@example.com", "amount": 5250, "note": "it's a \u{1f381}", "meta": {"a": "\\u0041"}}
`

type Shown = { outcome: string; links: string[]; blocks: Record<string, string> }

/** Presses a button and reads the result. */
async function pressed(page: Page, section: string, button: string): Promise<Shown> {
  await page.evaluate(`document.querySelector('${section} .outcome').replaceChildren()`)
  await page.locator(`${section} ${button}`).press('Enter')
  await page.locator(`${section} .outcome`, { hasText: /^(?!Sending)./ }).waitFor()
  return page.evaluate<Shown>(`(() => {
    const place = document.querySelector('${section}')
    const headings = [...place.querySelectorAll('.exchange h4')]
    return {
      outcome: place.querySelector('.outcome').textContent,
      links: [...place.querySelectorAll('.exchange a')].map((link) => link.getAttribute('href')),
      blocks: Object.fromEntries(headings.map((heading) => [
        heading.textContent.replace(/^What was signed.*/, 'signed'),
        heading.nextElementSibling.textContent,
      ])),
    }
  })()`)
}
