/** A secret as people paste it: with spaces, in quotation marks, or as the line that sets it. */
export function enteredSecret(given: string): { secret: string; note: string | null } {
  const text = given.trim()
  const [, inside] = /^(?:export\s+)?(?:\w+\s*[=:]\s*)?["']?(pcs_[\w-]+)["']?;?$/.exec(text) ?? []
  if (inside === undefined || inside === text) return { secret: text, note: null }
  const note =
    'The secret was entered with other text around it: only the part that begins with pcs_ was used.'
  return { secret: inside, note }
}
