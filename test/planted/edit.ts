/** A change of one place in a source file. */
export type Edit = { file: string; find: string; replace: string }

/** An edit whose text is not in the file exactly once would plant nothing, and prove nothing. */
export function applyEdit(text: string, { file, find, replace }: Edit): string {
  if (text.split(find).length !== 2) throw new Error(`${file} does not have exactly one: ${find}`)
  return text.replace(find, () => replace)
}
