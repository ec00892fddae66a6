import type { ShownRefusal } from '../answers/shown-refusal.ts'
import { terminalSafe } from '../terminal/safe-text.ts'
import { grouped } from './fitted-table.ts'
import { bold } from './output.ts'

/** One refusal in a few lines: as a row of a table it would be wider than a terminal, and its ids could not be copied. */
export function refusalText(refusal: ShownRefusal): string {
  const { at, code, partnerId, keyId, tenantId, requestId } = refusal
  const why = whyText(refusal)
  const who = [`partner ${partnerId}`, `tenant ${tenantId}`, ...(keyId === null ? [] : [`key ${keyId}`])]
  return [
    bold(`refused ${at}  ${terminalSafe(code)}`),
    ...(why === '' ? [] : [`  ${why}`]),
    `  ${terminalSafe(who.join(', '))}`,
    `  request ${terminalSafe(requestId)}`,
  ].join('\n')
}

function whyText({ cap, limit, used, requested }: ShownRefusal): string {
  return [
    ...(cap === null ? [] : [`${cap}${limit === null ? '' : ` is ${grouped(limit)} EP`}`]),
    ...(used === null ? [] : [`used ${grouped(used)}`]),
    ...(requested === null ? [] : [`requested ${grouped(requested)}`]),
  ].join(', ')
}
