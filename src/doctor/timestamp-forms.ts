/** The same time in seconds: cut off, and rounded up. */
export function secondsOf(timestamp: string): string[] {
  if (!/^\d{13}$/.test(timestamp)) return []
  const seconds = Number(timestamp.slice(0, 10))
  return [String(seconds), String(seconds + 1)]
}

/** The same time as other code writes it: a date, a float, with quotation marks. */
export function otherForms(timestamp: string): string[] {
  const quoted = [`"${timestamp}"`, `${timestamp}.0`]
  if (/^\d+\.\d+$/.test(timestamp)) return [...wholeNumbersOf(Number(timestamp)), ...quoted]
  if (!/^\d{13}$/.test(timestamp)) return quoted
  const iso = new Date(Number(timestamp)).toISOString()
  const fraction = `${timestamp.slice(0, 10)}.${timestamp.slice(10)}`
  const exponents = ['E+12', 'e+12', 'E12'].map((exponent) => {
    const digits = `${timestamp[0]}.${timestamp.slice(1)}`.replace(/0+$/, '')
    return `${digits}${exponent}`
  })
  const grouped = [',', '.', ' '].map((mark) => timestamp.replace(/\B(?=(\d{3})+$)/g, mark))
  return [
    iso,
    iso.replace(/\.\d+Z$/, 'Z'),
    fraction,
    String(Number(fraction)),
    ...exponents,
    ...grouped,
    ...quoted,
  ]
}

/** A float of seconds may have been signed in milliseconds. */
function wholeNumbersOf(float: number): string[] {
  const inMs = float < 1e11 ? float * 1_000 : float
  return [...new Set([float, inMs].flatMap((value) => [Math.floor(value), Math.round(value)].map(String)))]
}
