import type { Static } from 'typebox'
import type { explainedAward, findAnswer } from '../../api/schemas/awards.ts'
import type { accountList, report } from '../../api/schemas/figures.ts'
import type { accessLog, auditTrail, verification } from '../../api/schemas/records.ts'
import type { explainedRefusal, refusal } from '../../api/schemas/refusals.ts'
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
export type Refusal = Static<typeof refusal>
export type UserHistory = Static<typeof userHistory>
