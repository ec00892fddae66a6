import { isPermission, isRole } from '../../operator/access/permissions.ts'
import { operatorIdOf, operatorIdRule } from '../../operator/access/operator-id.ts'
import { knownNameProblem } from '../../partners/partner-name.ts'
import { readAwardRequest } from '../../rules/award-request.ts'
import { controlCharacterRule, hasControlCharacters } from '../../rules/control-characters.ts'
import { idRule, isId } from '../../rules/id.ts'
import { isTime } from '../../rules/iso-time.ts'
import { amountPerEp } from '../../rules/points.ts'
import type { CarriedKind, Row } from './carried-tables.ts'

/**
 * What the service itself would never have written: an import does not bypass the rules that apply to requests. Says
 * which field, and not what is in it, which may be an address. What adds up to what is proved later.
 */
export function rowProblem(kind: CarriedKind, row: Row): string | null {
  for (const rule of rules[kind]) {
    const problem = rule(row)
    if (problem !== null) return problem
  }
  return null
}

/** The address of a provider, and the name that it gives somebody: at most 255 characters. */
const oidcSubjectMax = 2_304

type Rule = (row: Row) => string | null

const rules: Record<CarriedKind, Rule[]> = {
  defaults: [numbers(0, 'perTx', 'perPartnerDay', 'perUserDay'), numbers(1, 'onlyRow'), times('setAt')],
  tenant: [ids('tenantId'), form('mode', /^(live|sandbox)$/), numbers(0, 'perUserDay'), times('createdAt')],
  partner: [
    ids('partnerId'),
    numbers(0, 'perTx', 'perPartnerDay'),
    numbers(1, 'requestsPerSecond'),
    times('createdAt'),
    form('status', /^(active|suspended)$/),
    named,
  ],
  grant: [ids('partnerId', 'tenantId'), numbers(0, 'perTx', 'perPartnerDay')],
  key: [
    ids('partnerId'),
    form('keyId', /^key_[0-9a-f]{16}$/),
    form('apiKeyHash', /^[0-9a-f]{64}$/),
    times('createdAt', 'expiresAt', 'revokedAt'),
  ],
  operator: [
    operatorIds,
    ({ role }) => (isRole(role as string) ? null : 'its role is unknown'),
    form('status', /^(active|disabled)$/),
    texts('oidcSubject'),
    atMost(oidcSubjectMax, 'oidcSubject'),
    times('sessionsFrom', 'createdAt'),
  ],
  token: [
    operatorIds,
    form('tokenId', /^tok_[0-9a-f]{16}$/),
    form('tokenHash', /^[0-9a-f]{64}$/),
    texts('name'),
    named,
    ({ scopes }) =>
      (scopes as string).split(' ').every(isPermission) ? null : 'its scopes have one that is unknown',
    times('createdAt', 'expiresAt', 'revokedAt'),
  ],
  keepsake: [form('name', /^[a-z][a-z0-9-]{0,63}$/)],
  audit: [
    times('at'),
    texts('actor', 'action', 'subject', 'reason', 'origin', 'address'),
    json('before', 'after'),
  ],
  entry: [
    ids('partnerId', 'tenantId'),
    form('epTransactionId', /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-/),
    numbers(0, 'perTx', 'perPartnerDay', 'perUserDay'),
    times('awardedAt'),
    numbers(1, 'seq', 'rawAmount', 'amountPerEp', 'points', 'partnerDayTotal', 'userDayTotal'),
    ({ amountPerEp: rate }) =>
      rate === amountPerEp ? null : `its amountPerEp is not ${amountPerEp}, the fixed rate`,
    asAccepted,
  ],
}

function named({ name }: Row): string | null {
  const problem = knownNameProblem(name as string)
  return problem === null ? null : `its name ${problem}`
}

function atMost(max: number, field: string): Rule {
  return firstProblem([field], (value) =>
    (value as string).length <= max ? null : `is longer than ${max} characters`,
  )
}

function ids(...fields: string[]): Rule {
  return firstProblem(fields, (value) => (isId(value as string) ? null : idRule))
}

function operatorIds({ operatorId }: Row): string | null {
  if (operatorId === null || operatorIdOf(operatorId as string) === operatorId) return null
  return `its operatorId ${operatorIdRule}`
}

function numbers(min: number, ...fields: string[]): Rule {
  return firstProblem(fields, (value) => ((value as number) >= min ? null : `must be at least ${min}`))
}

/** Whatever shows a row needs its dates. */
function times(...fields: string[]): Rule {
  return firstProblem(fields, (value) =>
    (value as number) >= 0 && isTime(value as number) ? null : 'is not a time',
  )
}

function form(field: string, pattern: RegExp): Rule {
  return firstProblem([field], (value) =>
    pattern.test(value as string) ? null : 'has not the form that the service gives it',
  )
}

function texts(...fields: string[]): Rule {
  return firstProblem(fields, (value) =>
    hasControlCharacters(value as string) ? controlCharacterRule : null,
  )
}

function json(...fields: string[]): Rule {
  return firstProblem(fields, (value) => {
    try {
      JSON.parse(value as string)
      return null
    } catch {
      return 'is not JSON'
    }
  })
}

/** A field that is null, or that a row of an older format does not have, breaks no rule. */
function firstProblem(fields: string[], problemOf: (value: Row[string]) => string | null): Rule {
  return (row) => {
    for (const field of fields) {
      const value = row[field]
      const problem = value === null || value === undefined ? null : problemOf(value)
      if (problem !== null) return `its ${field} ${problem}`
    }
    return null
  }
}

/** Rebuilt as the partner sent it, and checked like a request, so that there is one rule and not two similar ones. */
function asAccepted({ tenantId, orderId, userEmail, rawAmount, note, meta }: Row): string | null {
  const fields = { tenantId, orderId, userEmail, amount: rawAmount, note }
  const body = `${JSON.stringify(fields).slice(0, -1)},"meta":${meta}}`
  const checked = readAwardRequest(Buffer.from(body))
  if (!checked.ok) {
    const { pointer, detail } = checked.errors[0]!
    return `its ${pointer.split('/')[1] || 'meta'} ${detail}`
  }
  if (checked.request.userEmail !== userEmail) return 'its userEmail is not in lower case'
  return checked.request.meta === meta ? null : 'its meta is not as it would have been kept'
}
