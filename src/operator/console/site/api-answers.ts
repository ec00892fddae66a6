import type { Static } from 'typebox'
import type { operatorList, tokenList } from '../../api/schemas/access.ts'
import type { alert } from '../../api/schemas/alerts.ts'
import type { explainedAward, findAnswer } from '../../api/schemas/awards.ts'
import type { capsInForce, defaultCaps, triedCap } from '../../api/schemas/caps.ts'
import type { accountList, overview, partnerUsage, report, series, usage } from '../../api/schemas/figures.ts'
import type {
  dayFigures,
  issuedKey,
  names,
  partnerDetails,
  partnerList,
  tenantList,
} from '../../api/schemas/partners.ts'
import type { accessLog, auditTrail, verification } from '../../api/schemas/records.ts'
import type { explainedRefusal, forecast, refusal, refusalList } from '../../api/schemas/refusals.ts'
import type { userHistory } from '../../api/schemas/users.ts'

// What the API sends, by the schemas that it is declared with: a page that expects something else does not compile.
export type ExplainedAward = Static<typeof explainedAward>
export type FindAnswer = Static<typeof findAnswer>
export type AccountList = Static<typeof accountList>
export type Report = Static<typeof report>
export type AccessLog = Static<typeof accessLog>
export type AuditTrail = Static<typeof auditTrail>
export type Verification = Static<typeof verification>
export type ExplainedRefusal = Static<typeof explainedRefusal>
export type Forecast = Static<typeof forecast>
export type Refusal = Static<typeof refusal>
export type UserHistory = Static<typeof userHistory>

export type Overview = Static<typeof overview>
export type Alert = Static<typeof alert>
export type Series = Static<typeof series>
export type DayFigures = Static<typeof dayFigures>
export type PartnerUsage = Static<typeof partnerUsage>
export type Usage = Static<typeof usage>
export type PartnerList = Static<typeof partnerList>
export type PartnerInList = PartnerList['items'][number]
export type NameList = Static<typeof names>
export type TenantList = Static<typeof tenantList>
export type TenantInList = TenantList['items'][number]
export type DefaultCaps = Static<typeof defaultCaps>
export type PartnerDetails = Static<typeof partnerDetails>
export type GrantWithCaps = PartnerDetails['grants'][number]
export type Key = PartnerDetails['keys'][number]
export type IssuedKey = Static<typeof issuedKey>
export type SetCap = Static<typeof capsInForce>['perTx']
export type TriedCap = Static<typeof triedCap>
export type RefusalList = Static<typeof refusalList>

export type OperatorList = Static<typeof operatorList>
export type TokenList = Static<typeof tokenList>
