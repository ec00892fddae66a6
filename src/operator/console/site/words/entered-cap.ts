/** A cap as it is typed: null for nothing, which means that the wider cap applies. Commas and spaces are for people. */
export function capOf(text: string): number | null | 'wrong' {
  const digits = text.replace(/[\s,_]/g, '')
  if (digits === '') return null
  const value = Number(digits)
  return /^\d+$/.test(digits) && Number.isSafeInteger(value) ? value : 'wrong'
}
