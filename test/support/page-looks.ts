import { deepEqual, equal, ok } from 'node:assert/strict'
import type { Page } from 'playwright-core'

/**
 * What every page of the docs has, whatever it is about: a footer, a button at each code block, a header of one line in
 * which every link can be seen, and no word that is broken over two lines.
 */
export async function assertLooks(page: Page): Promise<void> {
  const where = page.url()
  const { blocks, buttons, footer, header, links } = await page.evaluate<Looks>(looks)
  equal(buttons, blocks, `${where}: buttons that copy`)
  ok(footer, `${where}: the footer has a link to the reference`)
  ok(header < 60, `${where}: the header is ${header} high`)
  const { width } = page.viewportSize()!
  for (const { text, left, right } of links)
    ok(left >= 0 && right <= width, `${where}: ${text} ends at ${right}`)
  deepEqual(await page.evaluate<string[]>(brokenWords), [], `${where}: broken words`)
}

type Looks = {
  blocks: number
  buttons: number
  footer: boolean
  header: number
  links: { text: string; left: number; right: number }[]
}

const looks = `(() => {
  const all = (selector) => [...document.querySelectorAll(selector)]
  return {
    blocks: all('pre').length,
    buttons: all('.code-block > pre + .copy').length,
    footer: all('footer a').some((link) => link.textContent === 'Reference' && link.checkVisibility()),
    header: document.querySelector('header').getBoundingClientRect().height,
    links: all('header a').map((link) => {
      const { left, right } = link.getBoundingClientRect()
      return { text: link.textContent, left, right }
    }),
  }
})()`

/** The words that are broken over two lines, by the positions that the browser reports. */
export const brokenWords = `(() => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' })
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const broken = []
  const linesOf = (range) => new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (!node.parentElement.checkVisibility() || node.parentElement.closest('.name, .skip')) continue
    const whole = document.createRange()
    whole.selectNodeContents(node)
    if (linesOf(whole) < 2) continue // most texts: no word of theirs needs a look
    for (const { segment, index, isWordLike } of segmenter.segment(node.data)) {
      if (!isWordLike) continue
      const range = document.createRange()
      range.setStart(node, index)
      range.setEnd(node, index + segment.length)
      if (linesOf(range) > 1) broken.push(segment)
    }
  }
  return broken
})()`
