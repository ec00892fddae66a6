import { readFileSync } from 'node:fs'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'

const axeSource = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** What axe finds on the page: each rule with the element that breaks it. */
export async function violations(
  page: Page,
  rules: axe.RunOptions = {},
  places = ['html'],
): Promise<string[]> {
  // Through the debugger protocol, to which the page's policy does not apply.
  if (await page.evaluate('!("axe" in globalThis)')) await page.evaluate(axeSource)
  const options = JSON.stringify({ ...rules, resultTypes: ['violations'], selectors: false })
  return page.evaluate<string[]>(
    `axe.run(${JSON.stringify(places)}, ${options}).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`,
  )
}

/** Null if nothing has to be scrolled sideways. A phone's own innerWidth would grow with what does not fit. */
export async function overflow(page: Page): Promise<string | null> {
  const content = await page.evaluate<number>('document.documentElement.scrollWidth')
  const { width } = page.viewportSize()!
  return content <= width ? null : `${page.url()} is ${content} wide on ${width}`
}
