import { systemClock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { openMasterKey } from '../../open-master-key.ts'
import { type IssuedKey, rotateKey } from '../../partners/create-key.ts'
import { createPartner } from '../../partners/create-partner.ts'
import type { Operator } from '../../partners/operator.ts'
import { setPartnerCaps } from '../../partners/set-partner-caps.ts'
import { resumePartner, suspendPartner } from '../../partners/set-partner-status.ts'
import { setTenantCaps } from '../../partners/set-tenant-caps.ts'
import { openStore } from '../../stores/open.ts'
import { type DemoPartnerId, demoPartners } from './partners.ts'
import { type PastChange, type PastEvent, type PastRequest, pastOf } from './past.ts'
import { sendAward } from './send-award.ts'

/** The newest key of each partner. */
export type DemoKeys = Map<DemoPartnerId, IssuedKey>

/**
 * Fills a new ledger with past days. The service itself writes them, by a clock that goes through these days: real requests with
 * real signatures, and the operators' real use cases beside it.
 */
export async function makePast(config: Config, now: number): Promise<DemoKeys> {
  const events = pastOf(now)
  const firstRequest = events.findIndex(({ kind }) => kind === 'request')
  const keys: DemoKeys = new Map()
  const store = await openStore(config.database, { create: true })
  try {
    const masterKey = await openMasterKey(config, store.partners)
    const change = async (at: number, event: PastChange) => {
      const { by, reason } = event
      const operator = { store: store.partners, actor: `cli:${by}`, now: at, reason, ...office }
      const key = await makeChange(operator, event, masterKey)
      if (key !== null) keys.set(key.partnerId as DemoPartnerId, key)
    }
    for (const event of events.slice(0, firstRequest)) {
      if (event.kind === 'change') await change(event.at, event)
    }
    // A server notices a new key within a second, and the past is made in less: its requests keep to the first keys.
    const firstKeys: DemoKeys = new Map(keys)
    await runService(config, events.slice(firstRequest), (url, event) =>
      event.kind === 'change' ? change(event.at, event) : request(url, event.at, event, firstKeys),
    )
    return keys
  } finally {
    await store.close()
  }
}

const office = { origin: 'command line', address: 'ops-1' } as const

/** Serves with a clock that stands at the time of the event that `happen` makes happen. */
async function runService(
  config: Config,
  events: PastEvent[],
  happen: (url: string, event: PastEvent) => Promise<void>,
): Promise<void> {
  let now = events[0]!.at
  const clock = { now: () => now, elapsed: systemClock.elapsed }
  const { createLog } = await import('../../log.ts')
  const { serve } = await import('../../serve.ts')
  const ownPorts = { host: '127.0.0.1', port: 0, operatorHost: '127.0.0.1', operatorPort: 0 }
  const service = await serve({ ...config, ...ownPorts }, { clock, log: createLog('error') })
  try {
    for (const [index, event] of events.entries()) {
      now = event.at
      await happen(service.partnerUrl, event)
      // By its own clock the service would do so once a second, in which here many hours pass.
      if (index % 4 === 0) await service.lookNow()
    }
    await service.lookNow()
  } finally {
    await service.stop()
  }
}

/** Returns the key that was issued, if one was. */
async function makeChange(
  operator: Operator,
  change: PastChange,
  masterKey: Uint8Array,
): Promise<IssuedKey | null> {
  switch (change.action) {
    case 'create': {
      const partner = demoPartners.find(({ partnerId }) => partnerId === change.partnerId)!
      return createPartner(operator, partner, masterKey)
    }
    case 'rotate':
      return rotateKey(operator, change.partnerId, change.overlapMs, masterKey)
    case 'perUserDay':
      await setTenantCaps(operator, change.tenantId, change.perUserDay)
      return null
    case 'perPartnerDay': {
      const caps = { perTx: undefined, perPartnerDay: change.perPartnerDay }
      await setPartnerCaps(operator, change.partnerId, caps, undefined)
      return null
    }
    case 'suspend':
      await suspendPartner(operator, change.partnerId)
      return null
    case 'resume':
      await resumePartner(operator, change.partnerId)
      return null
  }
}

async function request(url: string, at: number, event: PastRequest, keys: DemoKeys): Promise<void> {
  const { partnerId, award, wrongSecret = false, behindMs = 0 } = event
  const key = keys.get(partnerId)!
  const usedKey = wrongSecret ? { ...key, signingSecret: `${key.signingSecret}-old` } : key
  const { status } = await sendAward(url, usedKey, award, at - behindMs)
  if (status >= 500)
    throw new Error(`the demo's past could not be made: order ${award.orderId} got ${status}`)
}
