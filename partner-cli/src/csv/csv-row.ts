export type Delimiter = ',' | ';' | '\t'

export type CsvRow = {
  /** Where it begins; the first line of the file is 1. */
  line: number
  cells: string[]
  /** The rule of CSV that it breaks; then it has no cells, because they cannot be told apart. */
  fault: string | null
}
