import { withCopyButton } from './copy-button.ts'
import { scrollWithKeyboard } from './scroll-with-keyboard.ts'

// Gives every code block of the page its copy button.
for (const block of document.querySelectorAll('pre')) {
  const place = document.createComment('')
  block.replaceWith(place)
  place.replaceWith(withCopyButton(block))
}
for (const place of document.querySelectorAll<HTMLElement>('.facts code, .call, .scrolls'))
  scrollWithKeyboard(place)
