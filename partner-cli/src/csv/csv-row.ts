export type Delimiter = ',' | ';' | '\t'

export type CsvRow = {
  /** Where it begins; the first line of the file is 1. */
  line: number
  cells: string[]
  /** The rule of CSV that it breaks; then it has no cells, because nobody knows which is which. */
  fault: string | null
}
