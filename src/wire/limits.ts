/** What any client may take of us, whoever it is. */
export const limits = {
  bodyBytesMax: 65_536,
  headerBytesMax: 16_384,
  headersMax: 100,
  targetBytesMax: 8_192,
  connectionsMax: 4_096,
  /** A request must have arrived whole by then, slow headers and slow bodies included. */
  requestTimeoutMs: 10_000,
  timeoutCheckMs: 1_000,
  /** Longer than the 60 s after which common load balancers drop an idle connection, so that we are not first. */
  keepAliveMs: 65_000,
} as const
