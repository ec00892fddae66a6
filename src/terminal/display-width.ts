/** How many columns a text takes on a terminal. Its control characters have been escaped before. */
export function displayWidth(text: string): number {
  if (isPlain.test(text)) return text.length
  let width = 0
  for (const character of text) width += widthOf(character)
  return width
}

/** The beginning of a text that fits into this many columns, and the rest. */
export function cutAt(text: string, columns: number): [string, string] {
  let width = 0
  let length = 0
  for (const character of text) {
    width += widthOf(character)
    if (width > columns && length > 0) break
    length += character.length
  }
  return [text.slice(0, length), text.slice(length)]
}

const isPlain = /^[\x20-\x7e]*$/
const takesNone = /^[\p{Mn}\p{Me}\p{Cf}]$/u
const takesTwo =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\uff01-\uff60]$/u

function widthOf(character: string): number {
  if (takesNone.test(character)) return 0
  return takesTwo.test(character) ? 2 : 1
}
