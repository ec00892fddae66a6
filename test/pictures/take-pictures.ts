import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { serveWithPast } from '../../src/cli/demo/serve-with-past.ts'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/log.ts'
import { missing, startChromium } from '../support/chromium.ts'
import { scratchFolder } from '../support/scratch-folder.ts'

/** `npm run pictures`: takes the pictures of the README from the demo, in light and dark. */
const folder = 'docs/pictures'
const size = { width: 1280, height: 860 }
/** Of WebP: text stays sharp. */
const quality = 0.82

const releases: (() => Promise<void> | void)[] = []
try {
  await takePictures()
} finally {
  for (const release of releases.reverse()) await release()
}

async function takePictures(): Promise<void> {
  const browser = await startChromium({ after: (release) => void releases.push(release) })
  if (browser === null) throw new Error(missing)
  const ledger = mkdtempSync(join(scratchFolder(), 'partner-credit-pictures-'))
  releases.push(() => rmSync(ledger, { recursive: true }))
  const database = `sqlite:${join(ledger, 'demo.db')}`
  const config = readConfig({ DATABASE_URL: database, PORT: '0', OPERATOR_PORT: '0' })
  const { service, account } = await serveWithPast(config, { systemClock, log: createLog('error') })
  releases.push(() => service.stop())

  mkdirSync(folder, { recursive: true })
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport: size, colorScheme })
    const page = await context.newPage()
    await page.goto(service.operatorUrl)
    await page.fill('#name', account.operatorId)
    await page.fill('#password', account.password)
    await page.click('button:has-text("Sign in")')
    await page.waitForSelector('main >> text=initech')
    await page.waitForSelector('#near-users tbody tr')
    await page.waitForSelector('section:has-text("EP per hour") .plot')
    await take(browser, page, `console-${colorScheme}`)

    await page.goto(`${service.partnerUrl}/docs/signature`)
    await page.click('#example')
    await page.click('button[type=submit]')
    await page.locator('.verdict').scrollIntoViewIfNeeded()
    await page.evaluate('scrollBy(0, document.querySelector(".verdict").getBoundingClientRect().top - 80)')
    await take(browser, page, `signature-${colorScheme}`)
    await context.close()
  }
}

/** Playwright has no WebP, which is a third of the size: the browser itself converts the picture. */
async function take(browser: Browser, page: Page, name: string): Promise<void> {
  const png = (await page.screenshot()).toString('base64')
  const converter = await browser.newPage()
  const webp = await converter.evaluate<string>(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${png}'
    await image.decode()
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
    canvas.getContext('2d').drawImage(image, 0, 0)
    return canvas.toDataURL('image/webp', ${quality}).split(',')[1]
  })()`)
  await converter.close()
  const bytes = Buffer.from(webp, 'base64')
  writeFileSync(join(folder, `${name}.webp`), bytes)
  console.log(`${folder}/${name}.webp: ${bytes.length} bytes`)
}
