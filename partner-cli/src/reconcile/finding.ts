/** A row of the partner's list. */
export type Order = {
  line: number
  /** Null where the row does not say it. */
  orderId: string | null
  /** In lowercase; null where e-mails are not compared. */
  userEmail: string | null
  /** Null where only the points are listed, or the row cannot be read. */
  amount: number | null
  /** EP that it should have got: 0 for an amount below the minimum. */
  points: number
  /** Why it cannot be compared; then only line and orderId count. */
  problem: string | null
  /** The list ends in this row, without the end of its line: its last cell may have been longer. */
  mayBeCutOff: boolean
}

/** An award of the history. */
export type Credited = {
  /** 0 for the newest. */
  position: number
  epTransactionId: string
  orderId: string | null
  userEmail: string
  points: number
  awardedAt: string
}

export type FindingKind =
  /** The row cannot be read, so its order was not compared. */
  | 'unreadable'
  /** The order is in a row before. */
  | 'repeated'
  /** Listed, not credited, nor under a similar spelling. */
  | 'missing'
  /** Not credited as it is spelled here; a similar orderId is, or is listed before. It must not be sent unseen. */
  | 'similar'
  /** Credited, to another e-mail or with other points than listed. */
  | 'different'
  /** Credited, not listed. */
  | 'extra'

export type Finding = {
  finding: FindingKind
  orderId: string | null
  order: Order | null
  award: Credited | null
  /** In words, with both values. */
  detail: string
  /** Of a missing order: why it may be credited, or another order, all the same; null where it is certainly missing. */
  doubt: string | null
}
