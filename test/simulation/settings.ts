import { allowTenant, denyTenant } from '../../src/partners/allow-tenant.ts'
import { rotateKey } from '../../src/partners/create-key.ts'
import { createPartner } from '../../src/partners/create-partner.ts'
import type { Operator } from '../../src/partners/operator.ts'
import { setDefaultCaps } from '../../src/partners/set-default-caps.ts'
import { setPartnerCaps } from '../../src/partners/set-partner-caps.ts'
import { resumePartner, suspendPartner } from '../../src/partners/set-partner-status.ts'
import { setTenantCaps } from '../../src/partners/set-tenant-caps.ts'
import { aMasterKey } from '../support/operators.ts'
import type { CapsModel, Model, PartnerModel } from './model.ts'
import type { CapChange, Setting } from './operations.ts'

/** A change of an operator: how it is made in the service, whether it is refused, what it does to the model. */
export type SettingChange = {
  subject: string
  action: string
  make(operator: Operator): Promise<unknown>
  isAllowed(model: Model): boolean
  apply(model: Model): unknown
  /** Tenants that it creates if they do not exist, each with its own audit row. */
  tenants?: string[]
}

const overlapMs = 60_000
const unset: CapsModel = { perTx: null, perPartnerDay: null }

export function settingChange(setting: Setting, partnerId: string, tenantId: string): SettingChange {
  const subject = `partner ${partnerId}`
  const partner = (model: Model) => model.partners.get(partnerId)!
  switch (setting.set) {
    case 'suspend':
    case 'resume': {
      const suspended = setting.set === 'suspend'
      return {
        subject,
        action: `partner ${setting.set}`,
        make: (operator) =>
          suspended ? suspendPartner(operator, partnerId) : resumePartner(operator, partnerId),
        isAllowed: () => true,
        apply: (model) => {
          partner(model).suspended = suspended
        },
      }
    }
    case 'allow':
      return {
        subject,
        action: 'partner allow',
        make: (operator) => allowTenant(operator, partnerId, tenantId),
        isAllowed: () => true,
        apply: (model) => {
          const { grants } = partner(model)
          if (!grants.has(tenantId)) grants.set(tenantId, { ...unset })
        },
      }
    case 'deny':
      return {
        subject,
        action: 'partner deny',
        make: (operator) => denyTenant(operator, partnerId, tenantId),
        isAllowed: (model) => partner(model).grants.has(tenantId),
        apply: (model) => partner(model).grants.delete(tenantId),
      }
    case 'rotate':
      return {
        subject,
        action: 'key rotate',
        make: (operator) => rotateKey(operator, partnerId, overlapMs, aMasterKey),
        isAllowed: () => true,
        apply: (model) => {
          const { keys } = partner(model)
          const end = model.now + overlapMs
          for (const key of keys) if (key.expiresAt === null || key.expiresAt > end) key.expiresAt = end
          keys.push({ createdAt: model.now, expiresAt: null })
        },
      }
    case 'caps':
    case 'tenant caps': {
      const ofTenant = setting.set === 'tenant caps'
      const { perTx, perPartnerDay } = setting
      return {
        subject,
        action: 'partner caps',
        make: (operator) =>
          setPartnerCaps(operator, partnerId, { perTx, perPartnerDay }, ofTenant ? tenantId : undefined),
        isAllowed: (model) => !ofTenant || partner(model).grants.has(tenantId),
        apply: (model) => {
          const target = ofTenant ? partner(model).grants.get(tenantId)! : partner(model)
          setCap(target, 'perTx', perTx)
          setCap(target, 'perPartnerDay', perPartnerDay)
        },
      }
    }
    case 'user cap': {
      const { perUserDay } = setting
      return {
        subject: `tenant ${tenantId}`,
        action: 'tenant caps',
        make: (operator) => setTenantCaps(operator, tenantId, perUserDay),
        isAllowed: (model) => model.tenants.has(tenantId),
        apply: (model) => model.tenants.set(tenantId, perUserDay),
      }
    }
    case 'defaults':
      return defaultsChange(setting.caps)
  }
}

export function defaultsChange(caps: Partial<Model['defaults']>): SettingChange {
  return {
    subject: 'defaults',
    action: 'defaults caps',
    make: (operator) => setDefaultCaps(operator, caps),
    isAllowed: () => true,
    apply: (model) => {
      model.defaults = { ...model.defaults, ...caps }
    },
  }
}

/** Applies it to the model; returns how to undo it. */
export function tryChange(model: Model, change: SettingChange): () => void {
  const { partners, tenants } = structuredClone({ partners: model.partners, tenants: model.tenants })
  const { defaults } = model
  change.apply(model)
  return () => {
    for (const [id, partner] of partners) model.partners.set(id, partner)
    for (const [id, perUserDay] of tenants) model.tenants.set(id, perUserDay)
    model.defaults = defaults
  }
}

function setCap(target: CapsModel, cap: keyof CapsModel, change: CapChange): void {
  if (change !== undefined) target[cap] = change
}

export function partnerCreation(partnerId: string, tenants: string[]): SettingChange {
  return {
    subject: `partner ${partnerId}`,
    action: 'partner create',
    tenants,
    make: (operator) =>
      createPartner(operator, { partnerId, name: partnerId, tenants, ...unset }, aMasterKey),
    isAllowed: (model) => !model.partners.has(partnerId),
    apply: (model) => {
      const grants = new Map(tenants.map((tenantId) => [tenantId, { ...unset }]))
      const keys = [{ createdAt: model.now, expiresAt: null }]
      model.partners.set(partnerId, { ...unset, suspended: false, grants, keys })
      for (const tenantId of tenants) if (!model.tenants.has(tenantId)) model.tenants.set(tenantId, null)
    },
  }
}

/** What an audit row must say about its subject. */
export function seenByAuditor(model: Model, subject: string): string {
  if (subject === 'defaults') return auditSummary(model.defaults)
  const [kind, id] = subject.split(' ') as [string, string]
  if (kind === 'tenant') return auditSummary({ perUserDay: model.tenants.get(id) ?? null })
  const { suspended, perTx, perPartnerDay, grants, keys } = model.partners.get(id) as PartnerModel
  return auditSummary({
    status: suspended ? 'suspended' : 'active',
    perTx,
    perPartnerDay,
    grants: [...grants].map(([tenantId, caps]) => ({ tenantId, ...caps })),
    keys,
  })
}

type Audited = {
  status?: string
  perTx?: number | null
  perPartnerDay?: number | null
  grants?: { tenantId: string; perTx: number | null; perPartnerDay: number | null }[]
  keys?: { createdAt: number; expiresAt: number | null }[]
  perUserDay?: number | null
}

/** The same, from an audit row: in one order, whatever the order of the row. */
export function auditSummary(audited: Audited): string {
  const { status, perTx, perPartnerDay, grants = [], keys = [], perUserDay } = audited
  // A tenant has only one cap.
  if (perUserDay !== undefined) return JSON.stringify({ perTx, perPartnerDay, perUserDay })
  const caps = grants
    .toSorted((a, b) => (a.tenantId < b.tenantId ? -1 : 1))
    .map((grant) => [grant.tenantId, grant.perTx, grant.perPartnerDay])
  const lives = keys
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.expiresAt ?? Infinity) - (b.expiresAt ?? Infinity))
    .map(({ createdAt, expiresAt }) => [createdAt, expiresAt])
  return JSON.stringify({ status, perTx, perPartnerDay, caps, lives })
}
