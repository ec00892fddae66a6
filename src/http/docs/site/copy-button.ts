import { element } from './element.ts'
import { scrollWithKeyboard } from './scroll-with-keyboard.ts'

const shownMs = 2_000

/** Code with a button that copies it. The label is in the stylesheet, so that it is no part of the text. */
export function withCopyButton(code: HTMLElement): HTMLElement {
  const button = element('button', { type: 'button', class: 'copy', 'aria-label': 'Copy' })
  button.addEventListener('click', async () => {
    const copied = await copy(code)
    button.className = copied ? 'copy done' : 'copy failed'
    button.ariaLabel = copied ? 'Copied' : 'Selected: press Ctrl-C to copy'
    setTimeout(() => {
      button.className = 'copy'
      button.ariaLabel = 'Copy'
    }, shownMs)
  })
  scrollWithKeyboard(code)
  return element('div', { class: 'code-block' }, code, button)
}

/** Browsers let pages write to the clipboard only on https or localhost. Elsewhere the text is selected instead. */
async function copy(code: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(code.textContent ?? '')
    return true
  } catch {
    getSelection()?.selectAllChildren(code)
    return false
  }
}
