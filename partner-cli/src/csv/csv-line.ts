type CsvValue = string | number | null

/**
 * One row with its line end. A cell that a spreadsheet would run as a formula gets an apostrophe in front, which shows
 * it as text: an orderId or an e-mail may come from a stranger.
 */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(cell).join(',')}\r\n`
}

function cell(value: CsvValue): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const isFormula = /^[=+\-@\t\r]/.test(value)
  const text = isFormula ? `'${value}` : value
  return isFormula || /[",;\r\n\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
