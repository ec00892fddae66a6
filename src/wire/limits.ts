/** What any client may take of us, whoever it is. */
export const limits = {
  bodyBytesMax: 65_536,
  headerBytesMax: 16_384,
  headersMax: 100,
  targetBytesMax: 8_192,
  connectionsMax: 4_096,
  /** With more than so many, few slots are left: idle connections make room for newcomers, and keep-alive is short. */
  connectionsCrowded: 3_584,
  /** Nothing more is read from a connection with so many, until there are fewer than `Resume`. One read may bring more. */
  unfinishedPerConnectionMax: 64,
  unfinishedPerConnectionResume: 32,
  heldMsPerRequest: 1,
  startedPerConnectionMax: 64,
  /** Of all connections of a listener. Beyond, the one with the most is closed. */
  unfinishedMax: 16_384,
  /** A client that takes nothing of its response for so long is gone. Node needs it twice: the first time it only looks. */
  unreadTimeoutMs: 15_000,
  /** A request must have arrived whole by then, slow headers and slow bodies included. */
  requestTimeoutMs: 10_000,
  timeoutCheckMs: 1_000,
  /** Longer than the 60 s after which common load balancers drop an idle connection, so that we are not first. */
  keepAliveMs: 65_000,
  keepAliveCrowdedMs: 2_000,
} as const
