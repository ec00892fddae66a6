import type { ProblemCode } from '../../../../wire/problems/catalog.ts'

/** A request that was not carried out, as the API has it. */
export type Refusal = {
  at: string
  endpoint: 'award' | 'history'
  code: ProblemCode
  tenantId: string
  cap: string | null
  limit: number | null
  requested: number | null
  used: number | null
  requestId: string
}
