/** A text as one word of a shell command. Inside single quotes, a shell interprets only the quote itself. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
