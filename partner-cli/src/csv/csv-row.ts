export type Delimiter = ',' | ';' | '\t'

export type CsvRow = {
  /** Where it begins; the first line of the file is 1. */
  line: number
  cells: string[]
  /** The rule of CSV that it breaks; then it has no cells, because they cannot be told apart. */
  fault: string | null
  /** Only the last row can be without: either it was written so, or the file is cut off in it. */
  hasLineEnd: boolean
}
