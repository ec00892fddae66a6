/** A time as the API, the log and the command line write it: ISO 8601, UTC, milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
