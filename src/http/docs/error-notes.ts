import type { ProblemCode } from '../../wire/problem.ts'

type ErrorNote = {
  /** Whether sending the request again can help. "The same" is the same orderId and payload, signed anew. */
  retry: string
  /** What the body has beside the members that all errors have, and headers; name and meaning. */
  members: [name: string, meaning: string][]
}

/** What the page of a code says beyond title and advice. */
export const errorNotes: Record<ProblemCode, ErrorNote> = {
  INVALID_REQUEST: {
    retry: 'No: mend it first. After a 408, yes: the request did not arrive whole.',
    members: [
      [
        'errors',
        'A list of all broken rules: pointer (a place in the body) or parameter (of the query), and detail.',
      ],
      ['status', '400, or one of the statuses of HTTP itself: 405, 408, 413, 414, 415, 417, 431.'],
      ['Allow', 'A header of the 405: the method that this path takes.'],
    ],
  },
  INVALID_SIGNATURE: {
    retry: 'After mending the signature.',
    members: [
      ['bodyBytes', 'How many bytes of body arrived.'],
      ['bodySha256', 'Their SHA-256, in hex. Compare both with what you sent.'],
    ],
  },
  TIMESTAMP_OUT_OF_RANGE: {
    retry: 'After setting the clock, with a new timestamp and a new signature.',
    members: [
      ['serverTime', "The service's clock, in milliseconds since 1970."],
      ['skewMs', 'Your time minus ours, where you sent a number.'],
    ],
  },
  TENANT_NOT_ALLOWED: { retry: 'After the operator has allowed the tenant.', members: [] },
  PARTNER_SUSPENDED: { retry: 'After the operator has resumed you.', members: [] },
  NOT_FOUND: { retry: 'No: check the path.', members: [] },
  ORDER_ID_CONFLICT: {
    retry: 'No: another order needs an orderId of its own.',
    members: [
      ['differs', 'The names of the fields that differ from the first award.'],
      ['epTransactionId', 'The first award.'],
      ['awardedAt', 'When it was made.'],
    ],
  },
  AMOUNT_BELOW_MIN: {
    retry: 'No: this amount gives no EP.',
    members: [['minimum', 'The smallest amount that gives 1 EP.']],
  },
  PER_TX_CAP_EXCEEDED: {
    retry: 'After the operator has raised the cap.',
    members: [
      ['limit', 'The cap, in EP.'],
      ['requested', 'The EP of this award.'],
    ],
  },
  DAILY_CAP_EXCEEDED: {
    retry: 'The same, after resetsAt.',
    members: [
      ['cap', 'perPartnerDay (yours in this tenant) or perUserDay (this user, from all partners).'],
      ['limit', 'The cap, in EP.'],
      ['requested', 'The EP of this award.'],
      ['used', "Today's EP so far; only for perPartnerDay."],
      ['resetsAt', 'The next Vietnam midnight.'],
      ['Retry-After', 'A header: the same in seconds from now.'],
    ],
  },
  RATE_LIMITED: {
    retry: 'The same, after Retry-After.',
    members: [['Retry-After', 'A header: seconds to wait.']],
  },
  INTERNAL_ERROR: { retry: 'The same: an order is never credited twice.', members: [] },
  UNAVAILABLE: {
    retry: 'The same, after Retry-After.',
    members: [['Retry-After', 'A header: seconds to wait.']],
  },
}
