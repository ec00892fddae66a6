/** Copies a text; rejects if the browser does not let us. */
export async function copyText(text: string): Promise<void> {
  // Browsers offer the clipboard only to pages from localhost or over https.
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  // Inside an open dialog, because nothing outside it can be selected.
  const place = document.querySelector('dialog[open]') ?? document.body
  place.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (!isCopied) throw new Error('the browser did not copy')
}
