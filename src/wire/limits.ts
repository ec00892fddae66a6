/** Limits on what any client may use. */
export const limits = {
  bodyBytesMax: 65_536,
  /** Node makes an object of several hundred bytes for each chunk, even if it brings one byte. */
  bodyChunksMax: 128,
  /** So many chunks of less than `smallChunkBytes` may be in the unfinished requests of a connection together. */
  smallChunksMax: 256,
  smallChunkBytes: 64,
  headerBytesMax: 16_384,
  headersMax: 100,
  targetBytesMax: 8_192,
  connectionsMax: 4_096,
  /** Above this, few slots are left: idle connections are closed for new ones, keep-alive is short, and so is the time for a body. */
  connectionsCrowded: 3_584,
  /** Above this, nearly no slot is left: for each newcomer, the connection that is missed least is closed. */
  connectionsFull: 3_840,
  /** So many connections of a partner do not give way to newcomers because others have fewer. */
  connectionsKeptPerPartner: 64,
  /** A request with a body of this size counts as two unfinished ones, with one of twice the size as three, and so on. */
  bodyBytesPerRequest: 8_192,
  /** In a turn, too, but by what it takes to read it: so many bytes of JSON take about as long as an award. */
  bodyBytesPerAward: 1_024,
  /** Reading from a connection stops at `Max` unfinished requests and resumes below `Resume`. One read may exceed `Max`. */
  unfinishedPerConnectionMax: 64,
  unfinishedPerConnectionResume: 32,
  /** Reading also waits this long for each request beyond `Max`. */
  heldMsPerRequest: 1,
  /** All connections of a listener may bring so many requests beyond their `Max` in a second: two reads of the shortest ones. */
  beyondMaxPerSecond: 4_096,
  /** What Node reads at once: behind a read of so many bytes there may be more. */
  readBytesMax: 65_536,
  /** So many connections whose last read was full are read in one turn. In a long turn others wait: Node accepts one connection in each. */
  fullReadsPerTurn: 2,
  /** A connection may bring so much more than its requests can have: two reads. */
  bytesAheadMax: 131_072,
  /** All connections of a listener may bring so many bytes in a second that become no request. */
  wastedBytesPerSecond: 8_388_608,
  startedPerConnectionMax: 64,
  /** Over all connections of a listener. Above this, the connection with the most is closed. */
  unfinishedMax: 16_384,
  /** A client that reads nothing of its response for this long is disconnected. Node may take twice as long to notice. */
  unreadTimeoutMs: 15_000,
  /** The time within which headers and body of a request must arrive. */
  requestTimeoutMs: 10_000,
  requestTimeoutCrowdedMs: 2_000,
  timeoutCheckMs: 1_000,
  /** Longer than the 60 s after which common load balancers drop an idle connection, so that they close it first. */
  keepAliveMs: 65_000,
  keepAliveCrowdedMs: 2_000,
  keepAliveFullMs: 500,
} as const
