import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { insecureHost, missing, startChromium } from '../support/chromium.ts'
import { startService } from '../support/service.ts'

const files = [
  'award.sh',
  'award.ts',
  'award.py',
  'award.php',
  'award.go',
  'Award.java',
  'award.rb',
  'Award.cs',
]
const languages = ['curl', 'TypeScript', 'Python', 'PHP', 'Go', 'Java', 'Ruby', 'C#']

describe('how the docs look in a browser', { concurrency: 3 }, async () => {
  const browser = await startChromium({ after })
  const { url } = await startService({ after }, {}, { nodes: 1 })

  test('a button copies its code block, letter by letter', async (t) => {
    if (browser === null) return t.skip(missing)
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const page = await context.newPage()
    await page.goto(`${url}/docs`)
    const copy = page.locator('.code-block:has(pre.sh)').first().getByRole('button', { name: 'Copy' })
    await copy.click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    equal(copied, await page.locator('pre.sh').first().textContent())
    match(copied, new RegExp(`^BODY='{"tenantId".*curl -s ${url}/v1/ep/webhook`, 's'))
    await context.close()
  })

  test('where a page may not write to the clipboard, the code is selected and the button says what to press', async (t) => {
    if (browser === null) return t.skip(missing)
    const page = await browser.newPage()
    await page.goto(`${url.replace('127.0.0.1', insecureHost)}/docs`)
    await page.locator('.code-block:has(pre.sh) .copy').first().click()
    await page.getByRole('button', { name: /press Ctrl-C/ }).waitFor()
    match(await page.evaluate<string>('String(getSelection())'), /^BODY='/)
    await page.close()
  })

  test('the tabs have the eight examples as they are in their files, and the choice is remembered', async (t) => {
    if (browser === null) return t.skip(missing)
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${url}/docs`)
    const [programs, sign] = [page.locator('.tabs').first(), page.locator('.tabs').nth(1)]
    deepEqual(await programs.locator('label').allTextContents(), languages)
    for (const [index, file] of files.entries()) {
      const code = readFileSync(new URL(`../../examples/${file}`, import.meta.url), 'utf8')
      const shown = await programs.locator('.tab-panel pre').nth(index).textContent()
      equal(shown!.replaceAll(url, 'http://127.0.0.1:8080'), code.trimEnd(), file)
      match(
        (await sign.locator('pre').nth(index).textContent())!,
        /HMAC-SHA-256.*sign|sign.*HMAC-SHA-256/is,
        file,
      )
      equal(await (await context.request.get(`${url}/docs/examples/${file}`)).text(), code)
    }
    deepEqual(await visibleTabs(page), ['curl', 'curl'])
    await programs.getByLabel('Python').click()
    deepEqual(await visibleTabs(page), ['python', 'python'], 'all places follow')
    await page.goto(`${url}/docs/libraries`)
    deepEqual(await visibleTabs(page), ['python'], 'on the next page, too')
    await page.getByLabel('Python').focus()
    await page.keyboard.press('ArrowRight')
    deepEqual(await visibleTabs(page), ['php'], 'the keyboard chooses')
    await page.reload()
    deepEqual(await visibleTabs(page), ['php'])
    equal(await page.evaluate('JSON.stringify(localStorage)'), '{"language":"php"}')
    await context.close()
  })

  test('tabs work where storage is refused, and without scripts', async (t) => {
    if (browser === null) return t.skip(missing)
    const refused = await browser.newPage()
    const errors: string[] = []
    refused.on('pageerror', ({ message }) => errors.push(message))
    await refused.addInitScript(
      'Object.defineProperty(window, "localStorage", { get() { throw new DOMException("refused", "SecurityError") } })',
    )
    await refused.goto(`${url}/docs`)
    const without = await browser.newPage({ javaScriptEnabled: false })
    await without.goto(`${url}/docs`)
    for (const page of [refused, without]) {
      await page.locator('.tabs').first().getByLabel('Go').check()
      equal(await page.locator('.tabs').first().locator('.tab-panel:visible').getAttribute('data-tab'), 'go')
      ok((await page.locator('.t-string').count()) > 10, 'colors')
      await page.close()
    }
    deepEqual(errors, [])
  })

  test('the list of contents stays in sight and marks what is read', async (t) => {
    if (browser === null) return t.skip(missing)
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    await page.goto(`${url}/docs/reference`)
    const contents = page.locator('.contents')
    for (const name of [
      'Signing',
      'Your key',
      'Credit EP to a user',
      'List your awards in a tenant',
      'Errors',
    ])
      ok(await contents.getByRole('link', { name, exact: true }).isVisible(), name)
    const current = contents.locator('[aria-current]')
    equal(await current.count(), 0, 'at the top, nothing is marked yet')
    await page.evaluate("document.getElementById('awards-responses').scrollIntoView()")
    await contents.locator('[href="#awards-responses"][aria-current]').waitFor()
    equal(await current.count(), 1)
    const { y } = (await contents.boundingBox())!
    ok(y >= 0 && y < 100, `it stands at ${y}`)
    await page.close()
  })

  test('underscores are seen in the key fields; "Show the secret" stands below the secret', async (t) => {
    if (browser === null) return t.skip(missing)
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    await page.goto(`${url}/docs/reference`)
    for (const kind of ['value', 'placeholder']) {
      const inkOf = async (text: string) => {
        await page.evaluate(
          `Object.assign(document.getElementById('api-key'), { value: '', placeholder: '', ${kind}: '${text}' })`,
        )
        return (await page.locator('#api-key').screenshot({ animations: 'disabled' })).toString('base64')
      }
      const [empty, underscores] = [await inkOf(''), await inkOf('____')]
      ok(empty !== underscores, `the ${kind} shows underscores`)
    }
    const secret = (await page.locator('#secret').boundingBox())!
    const box = (await page.locator('#show-secret').boundingBox())!
    ok(box.x >= secret.x && box.x < secret.x + secret.width && box.y >= secret.y + secret.height)
    await page.close()
  })
})

/** The languages of the visible panels. */
function visibleTabs(page: Page): Promise<(string | undefined)[]> {
  return page.evaluate(
    '[...document.querySelectorAll(".tab-panel")].filter((panel) => panel.checkVisibility()).map((panel) => panel.dataset.tab)',
  )
}
