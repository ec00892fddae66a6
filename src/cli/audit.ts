import type { Command } from 'commander'
import { type AuditAnswer, type AuditedChange, audit } from '../answers/audit.ts'
import type { FieldChange } from '../answers/setting-changes.ts'
import { isoTime, isTime } from '../rules/iso-time.ts'
import { count, terminalSafe } from '../terminal/safe-text.ts'
import { answerIsNo } from './exit-codes.ts'
import { fitLines } from './fitted-table.ts'
import { type DatabaseOptions, withDatabaseOptions, withQueries } from './open.ts'
import { bold, print } from './output.ts'
import { limitArgument, sinceArgument, untilArgument } from './time-arguments.ts'

type AuditOptions = DatabaseOptions & {
  since?: number
  until?: number
  partner?: string
  tenant?: string
  limit: number
}

export function auditCommand(program: Command): void {
  withDatabaseOptions(program.command('audit'))
    .description('show who changed what, when and why, newest first; exit code 3 if nothing was changed')
    .option('--since <time>', 'only changes since then: 24h, 2026-11-16, 2026-11-16T08:30:00Z', sinceArgument)
    .option('--until <time>', 'before then, in the same forms; a day is included', untilArgument)
    .option('--partner <id>', 'only changes of this partner')
    .option('--tenant <tenant>', 'only changes of this tenant')
    .option('--limit <n>', 'at most this many', limitArgument, 100)
    .action(async (options: AuditOptions) => {
      const { since, until, partner: partnerId, tenant: tenantId, limit } = options
      const answer = await withQueries(options, (queries) =>
        audit(queries, { since, until, partnerId, tenantId, limit }),
      )
      print(answer, options, () => fitLines(auditText(answer)))
      if (answer.changes.some(({ hashMatches }) => !hashMatches)) process.exitCode = 1
      else if (answer.changes.length === 0) process.exitCode = answerIsNo
    })
}

function auditText({ changes, older }: AuditAnswer): string {
  if (changes.length === 0) return 'no changes'
  const more = older === 0 ? [] : [`${count(older, 'older change')}: --limit shows more`]
  return [...changes.map(changeText), ...more].join('\n\n')
}

function changeText(change: AuditedChange): string {
  const { auditSeq, at, actor, origin, address, action, subject, reason, changes, hashMatches } = change
  const from = address === null ? origin : `${origin} on ${address}`
  return [
    bold(terminalSafe(`#${auditSeq}  ${at}  ${action}: ${subject}`)),
    `  by ${terminalSafe(actor)} (${terminalSafe(from)})`,
    `  reason: ${reason === null ? 'none given' : terminalSafe(reason)}`,
    ...changes
      .filter(({ field }) => change.before !== null || !impliedByCreation.test(field))
      .map((field) => `  ${terminalSafe(change.before === null ? newFieldText(field) : fieldText(field))}`),
    ...(hashMatches ? [] : ['  THE HASH DOES NOT MATCH: the row was changed. Run verify']),
  ].join('\n')
}

/** The line above has them already. */
const impliedByCreation = /^(partnerId|tenantId|createdAt|setAt)$/

function newFieldText(change: FieldChange): string {
  const { field, after } = change
  return typeof after === 'object' ? fieldText(change) : `${field}: ${valueText(field, after)}`
}

function fieldText({ field, before, after }: FieldChange): string {
  if (before === null && typeof after === 'object' && after !== null) return `${field}: added`
  if (after === null && typeof before === 'object' && before !== null) return `${field}: removed`
  return `${field}: ${valueText(field, before)} → ${valueText(field, after)}`
}

function valueText(field: string, value: unknown): string {
  if (value === null) return /per(Tx|PartnerDay|UserDay)$/.test(field) ? 'not set' : 'none'
  return typeof value === 'number' && /At$/.test(field) && isTime(value) ? isoTime(value) : String(value)
}
