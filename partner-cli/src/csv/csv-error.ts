/** A file that cannot be read as CSV at all. What is wrong with one row is the row's fault, not an error. */
export class CsvError extends Error {}
