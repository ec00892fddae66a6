import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { mistakes } from '../../src/doctor/mistakes.ts'
import { insecureHost, missing, startChromium } from '../support/chromium.ts'
import { startService } from '../support/service.ts'
import {
  asCurl,
  asHttp,
  rightRequests,
  signingSecret,
  someWrongRequests,
  type WrongRequest,
  wrongRequests,
} from '../support/signing-mistakes.ts'

const [right] = rightRequests as [WrongRequest]
const noDot = wrongRequests.find(({ name }) => name === 'no dot') as WrongRequest

/** A sample, and those whose text a form could change. The same code examines all of them in src/doctor. */
const examples = wrongRequests.filter(
  (request) => someWrongRequests.includes(request) || /[\r\n\t\ufeff]/.test(request.body),
)

describe('the signature debugger, in a browser', async () => {
  const browser = await startChromium({ after })
  const { url } = await startService({ after }, {}, { nodes: 1 })
  const requests: string[] = []
  let page: Page

  before(async () => {
    if (browser === null) return
    page = await browser.newPage()
    await page.goto(`${url}/docs/signature`, { waitUntil: 'networkidle' })
    page.on('request', (request) => requests.push(request.url()))
    page.on('pageerror', (error) => requests.push(error.message))
  })

  for (const [index, wrong] of examples.entries()) {
    test(`names the mistake: ${wrong.method}, ${wrong.name}`, async (t) => {
      if (browser === null) return t.skip(missing)
      const ways = [{ request: asHttp(wrong) }, { request: asCurl(wrong) }, asFields(wrong)]
      const shown = await examined(page, ways[index % 3] ?? { request: asHttp(wrong) })
      assert.equal(shown.verdict, 'The signature is wrong.')
      assert.deepEqual(new Set(shown.ids), new Set(wrong.mistakes))
      for (const id of wrong.mistakes) {
        assert.ok(shown.text.includes(mistakes[id].title) && shown.text.includes(mistakes[id].fix))
      }
    })
  }

  test('shows the right signature, both strings byte by byte, and where they part', async (t) => {
    if (browser === null) return t.skip(missing)
    const [expected] = right.headers.filter(([name]) => name === 'X-Signature').map(([, value]) => value)
    const shown = await examined(page, { request: asCurl(noDot) })
    assert.equal(await page.textContent('[data-signature=expected]'), expected)
    assert.ok(shown.text.includes(`1763182800123.${right.body}`))
    const cells = (await page.locator('.bytes').first().locator('.byte').allTextContents()).slice(11, 16)
    assert.deepEqual(cells, ['232', '333', '.2e', '{7b', '"22'])
    assert.deepEqual(await page.locator('.byte.differs').allTextContents(), ['.2e', '{7b'])
    const good = await examined(page, { request: asHttp(right) })
    assert.deepEqual([good.verdict, good.ids], ['The signature is correct.', []])
    const answer = JSON.stringify({ bodyBytes: 2, bodySha256: '0'.repeat(64) })
    const changed = await examined(page, { request: asHttp(right), answer })
    assert.deepEqual(changed.ids, ['body-changed-in-transit'])
  })

  test('keeps nothing when it is left, also if the browser keeps the page for its Back button', async (t) => {
    if (browser === null) return t.skip(missing)
    await examined(page, { request: asCurl(right) })
    assert.equal(await page.inputValue('#secret'), signingSecret)
    await page.evaluate('dispatchEvent(new PageTransitionEvent("pagehide", { persisted: true }))')
    assert.deepEqual([await page.inputValue('#secret'), await page.inputValue('#request')], ['', ''])
    assert.equal(await page.textContent('#result'), '')
  })

  test('says what cannot be read, or is missing', async (t) => {
    if (browser === null) return t.skip(missing)
    const unread = await examined(page, { request: 'curl h -d "$BODY"' })
    assert.match(unread.text, /cannot be read: \$BODY is a shell expansion/)
    const noSecret = await examined(page, { request: asHttp(right), secret: ' ' })
    assert.match(noSecret.text, /The signing secret is needed/)
  })

  test('what is entered is never read as HTML', async (t) => {
    if (browser === null) return t.skip(missing)
    const hostile = '<img src=x onerror=alert(1)>'
    const shown = await examined(page, { request: asHttp({ ...right, body: hostile }) })
    assert.ok(shown.text.includes(hostile))
    assert.equal(await page.locator('#result img').count(), 0)
  })

  test('after all this nothing has left the page, and nothing is kept', async (t) => {
    if (browser === null) return t.skip(missing)
    assert.deepEqual(requests, [], 'no request since the page was loaded')
    assert.equal(page.url(), `${url}/docs/signature`)
    assert.equal(
      await page.evaluate('localStorage.length + sessionStorage.length + document.cookie.length'),
      0,
    )
    await page.reload()
    assert.equal(await page.inputValue('#secret'), '')
    assert.equal(await page.inputValue('#request'), '')
  })

  test('it works with the keyboard alone, in the order of the page', async (t) => {
    if (browser === null) return t.skip(missing)
    const focused = () =>
      page.evaluate<string>(
        '(({ id, name, value, textContent }) => id || (name && name + "=" + value) || textContent.trim())(document.activeElement)',
      )
    const order: string[] = []
    for (let step = 0; step < 14; step++) {
      await page.keyboard.press('Tab')
      order.push(await focused())
      if (order.at(-1) === 'request') await page.keyboard.insertText(asCurl(noDot))
      if (order.at(-1) === 'secret') await page.keyboard.insertText(signingSecret)
      if (order.at(-1) === 'Find the mistake') break
    }
    assert.deepEqual(order, [
      'Skip to the content',
      'Partner Credit',
      'Start',
      'Reference',
      'Libraries',
      'Debugger',
      'Errors',
      'given=text',
      'request',
      'secret',
      'show-secret',
      'Response of the service (optional)',
      'Find the mistake',
    ])
    await page.keyboard.press('Enter')
    await page.waitForSelector('[data-mistake=dot-missing]')
  })

  test('where the browser does not compute signatures, the page says so', async (t) => {
    if (browser === null) return t.skip(missing)
    const elsewhere = await browser.newPage()
    await elsewhere.goto(`${url.replace('127.0.0.1', insecureHost)}/docs/signature`)
    await elsewhere.waitForSelector('#insecure:visible')
    assert.equal(await page.isVisible('#insecure'), false)
    const shown = await examined(elsewhere, { request: asHttp(right) })
    assert.match(shown.text, /only on https or localhost/)
    await elsewhere.close()
  })
})

type Entries = Record<string, string>

/** The single fields, if they can hold the request: a field has one line, and a text box ends its lines with LF. */
function asFields({ method, target, headers, body }: WrongRequest): Entries | null {
  if (body.includes('\r') || new Set(headers.map(([name]) => name)).size < headers.length) return null
  const value = (wanted: string) => headers.find(([name]) => name === wanted)?.[1] ?? ''
  return {
    endpoint: method,
    'api-key': value('X-Api-Key'),
    timestamp: value('X-Timestamp'),
    signature: value('X-Signature'),
    ...(method === 'POST' ? { body } : { tenant: /tenantId=([^&]*)/.exec(target)![1]! }),
  }
}

type Shown = { verdict: string | null; ids: string[]; text: string }

/** Fills in the form, presses the button and reads the result: in one step, because there are many. */
function examined(page: Page, entries: Entries): Promise<Shown> {
  const all = {
    secret: signingSecret,
    answer: '',
    given: 'request' in entries ? 'text' : 'fields',
    ...entries,
  }
  return page.evaluate<Shown>(`(async () => {
    const result = document.getElementById('result')
    const appears = new Promise((resolve) => new MutationObserver(resolve).observe(result, { childList: true }))
    for (const [name, value] of Object.entries(${JSON.stringify(all)})) {
      const field = document.getElementById(name)
      if (field === null) document.querySelector('input[name=' + name + '][value=' + value + ']').click()
      else field.value = value
    }
    document.querySelector('button[type=submit]').click()
    await appears
    return {
      verdict: result.querySelector('.verdict')?.textContent ?? null,
      ids: [...result.querySelectorAll('[data-mistake]')].map((item) => item.dataset.mistake),
      text: result.textContent,
    }
  })()`)
}
