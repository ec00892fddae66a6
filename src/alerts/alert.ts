/** What an operator is told once, when it begins. */
export const alertKinds = [
  'capNear',
  'capReached',
  'failuresJumped',
  'wrongSignatures',
  'clockOff',
  'doubleSending',
  'userDayProbing',
] as const
export type AlertKind = (typeof alertKinds)[number]

/**
 * An alert is *open* from the moment its rule first holds until the rule has not held for an hour; that of a cap until
 * midnight in Vietnam, or until the cap is changed. While it is open, it is not raised again: not by the next request, not by another node, not after a
 * restart.
 */
export type Alert = {
  kind: AlertKind
  partnerId: string
  tenantId: string | null
  keyId: string | null
  /** What else makes it another alert than an open one: the day and the value of a cap. Otherwise empty. */
  occasion: string
  /** The numbers that led to it. Never an order or an address. */
  facts: Readonly<Record<string, number>>
}

/** `heldAt`: when its rule last held. */
export type OpenAlert = Alert & { heldAt: number }

/** An alert on record. `endedAt` is null while it is open. */
export type RecordedAlert = Alert & { raisedAt: number; endedAt: number | null }

/** Alerts with the same identity are the same alert. */
export function identityOf({ kind, partnerId, tenantId, keyId, occasion }: Omit<Alert, 'facts'>): string {
  return JSON.stringify([kind, partnerId, tenantId, keyId, occasion])
}

/** One sentence for the log and the command line. */
export function alertText({ kind, partnerId, tenantId, keyId, facts }: Alert): string {
  const fact = (name: string) => facts[name]!.toLocaleString('en-US')
  switch (kind) {
    case 'capNear':
      return `${partnerId} has used ${fact('used')} of ${fact('limit')} EP of its perPartnerDay in ${tenantId}`
    case 'capReached':
      return `${partnerId} has reached its perPartnerDay of ${fact('limit')} EP in ${tenantId}`
    case 'failuresJumped':
      return `${fact('failures')} of ${fact('responses')} requests of ${partnerId} failed within ${fact('minutes')} minutes`
    case 'wrongSignatures':
      return `${fact('wrongSignatures')} requests with a key of ${partnerId} had a wrong signature within ${fact('minutes')} minutes`
    case 'clockOff': {
      const ahead = facts.aheadSeconds!
      const seconds = Math.abs(ahead).toLocaleString('en-US')
      return `the clock behind the key ${keyId} of ${partnerId} is ${seconds} s ${ahead > 0 ? 'fast' : 'slow'}`
    }
    case 'doubleSending':
      return `${partnerId} repeated ${fact('replays')} orders within 10 s, in an hour with ${fact('credited')} credited awards`
    case 'userDayProbing':
      return `perUserDay refused ${fact('refused')} awards of ${partnerId} in an hour: its users reach the cap, or it tries out what they have received`
  }
}
