/**
 * Lines of comma-separated values (RFC 4180, with line feeds). A text that a spreadsheet would take for a formula gets an
 * apostrophe, which makes it a text.
 */
export function csv(rows: (string | number)[][]): string {
  return rows.map((row) => row.map(cellOf).join(',')).join('\n')
}

function cellOf(value: string | number): string {
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
