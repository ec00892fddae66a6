import { askLine } from '../terminal/ask-line.ts'

type ReasonOptions = { reason?: string; json?: boolean }

/** There is no reason where one is required, or the question was not answered. Nothing was changed. */
export class NoReason extends Error {}

/**
 * Why a change is made, for the audit trail. Whoever sits at a terminal is asked. A command whose input or output goes
 * elsewhere is part of a script: nobody would answer.
 */
export async function reasonFor(
  { reason, json = false }: ReasonOptions,
  { isRequired }: { isRequired: boolean },
): Promise<string | null> {
  if (reason !== undefined) return reason
  const isAttended = process.stdin.isTTY && process.stdout.isTTY && process.stderr.isTTY && !json
  if (isAttended) {
    const hint = isRequired ? 'required' : 'Enter for none'
    const typed = await askLine(`Reason for the audit trail (${hint}): `)
    if (typed === null) throw new NoReason('canceled: nothing was changed')
    if (typed.trim() !== '') return typed.trim()
  }
  if (!isRequired) return null
  throw new NoReason(
    'a reason is required, because REQUIRE_REASON=1 is set: add --reason "…". Nothing was changed',
  )
}
