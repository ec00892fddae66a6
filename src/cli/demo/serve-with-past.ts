import type { Logger } from 'pino'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { openMasterKey } from '../../open-master-key.ts'
import { type IssuedKey, rotateKey } from '../../partners/create-key.ts'
import { createPartner } from '../../partners/create-partner.ts'
import type { Operator } from '../../partners/operator.ts'
import { setPartnerCaps } from '../../partners/set-partner-caps.ts'
import { resumePartner, suspendPartner } from '../../partners/set-partner-status.ts'
import { setTenantCaps } from '../../partners/set-tenant-caps.ts'
import { serve } from '../../serve.ts'
import { openStore } from '../../stores/open.ts'
import { createColleagues, createDemoAccount, type DemoAccount } from './accounts.ts'
import { type DemoPartnerId, demoPartners } from './partners.ts'
import { type PastRequest, pastOf } from './past.ts'
import type { PastChange } from './past-changes.ts'
import { sendAward } from './send-award.ts'

/** The newest key of each partner. */
export type DemoKeys = Map<DemoPartnerId, IssuedKey>

export type DemoService = {
  service: Awaited<ReturnType<typeof serve>>
  keys: DemoKeys
  account: DemoAccount
}

/**
 * Serves a new ledger by a clock that first goes through some past days, and then shows the time. So the service itself writes
 * the past: real requests with real signatures, and the operators' real use cases beside it.
 */
export async function serveWithPast(
  config: Config,
  options: { systemClock: Clock; log: Logger; latencyEveryMs?: number },
): Promise<DemoService> {
  const { systemClock, ...serving } = options
  const events = pastOf(systemClock.now())
  const firstRequest = events.findIndex(({ kind }) => kind === 'request')
  const keys: DemoKeys = new Map()
  const store = await openStore(config.database, { create: true })
  try {
    const masterKey = await openMasterKey(config, store.partners)
    await createColleagues(store.operators, events[0]!.at - hourMs)
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
    let past: number | null = events[firstRequest]!.at
    const clock = { now: () => past ?? systemClock.now(), elapsed: systemClock.elapsed }
    const service = await serve(config, { ...serving, clock })
    for (const [index, event] of events.slice(firstRequest).entries()) {
      past = event.at
      if (event.kind === 'change') await change(event.at, event)
      else await request(service.partnerUrl, event.at, event, firstKeys)
      // By its own clock the service would do so once a second, in which here many hours pass.
      if (index % 4 === 0) await service.lookNow()
    }
    await service.lookNow()
    past = null
    const account = await createDemoAccount(store.operators, systemClock.now())
    return { service, keys, account }
  } finally {
    await store.close()
  }
}

const hourMs = 3_600_000

const office = { origin: 'command line', address: 'ops-1' } as const

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
