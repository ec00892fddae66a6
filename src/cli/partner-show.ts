import type { Command } from 'commander'
import type { CapPlace } from '../answers/caps-in-force.ts'
import { lastUses } from '../answers/key-uses.ts'
import { type GrantWithCaps, partnerWithCaps, type SetCap } from '../answers/partner-caps.ts'
import { shownKey } from '../answers/shown-settings.ts'
import { systemClock } from '../clock.ts'
import { isoTime } from '../rules/iso-time.ts'
import { terminalSafe } from '../terminal/safe-text.ts'
import { fittedTable } from './fitted-table.ts'
import { keysTable, keyUsesTable } from './keys-table.ts'
import { type DatabaseOptions, withDatabaseOptions, withJournal } from './open.ts'
import { capText, print } from './output.ts'
import { tenantText } from './tenant.ts'

type ShownWithCaps = Awaited<ReturnType<typeof partnerWithCaps>>

export function partnerShowCommand(partner: Command): void {
  withDatabaseOptions(partner.command('show <id>'))
    .description('show a partner with its keys, the caps in force in its tenants, and who set them')
    .action(async (id: string, options: DatabaseOptions) => {
      const { partner, defaults, lastUse } = await withJournal(options, async ({ queries, journal }) => ({
        partner: await partnerWithCaps(queries, id),
        defaults: await queries.defaultCaps(),
        lastUse: await lastUses(journal, id, systemClock.now()),
      }))
      const document = {
        ...partner,
        createdAt: isoTime(partner.createdAt),
        keys: partner.keys.map((key) => ({ ...shownKey(key), ...lastUse(key.keyId) })),
      }
      print(document, options, () => `${text(partner, defaults)}\n\n${keyUsesTable(partner.keys, lastUse)}`)
    })
}

function text(partner: ShownWithCaps, defaults: { perTx: number; perPartnerDay: number }): string {
  const { partnerId, name, status, requestsPerSecond, perTx, perPartnerDay, grants, keys } = partner
  const everywhere = [
    'everywhere',
    capText(perTx, defaults.perTx, 'default'),
    capText(perPartnerDay, defaults.perPartnerDay, 'default'),
    '',
  ]
  return [
    `${terminalSafe(partnerId)} (${terminalSafe(name)}) is ${terminalSafe(status)}; requests per second: ${requestsPerSecond ?? 'no limit'}`,
    fittedTable(
      [
        { heading: 'tenant', wraps: true },
        { heading: 'perTx' },
        { heading: 'perPartnerDay' },
        { heading: 'perUserDay' },
      ],
      [everywhere, ...grants.map(capsRow)],
    ),
    `Who set these caps:\n${originsTable(partner)}`,
    keysTable(keys),
  ].join('\n\n')
}

/** Of a tenant: what is set for the tenant itself has no mark. */
const marks: Record<CapPlace, string> = {
  'partner in tenant': '',
  tenant: '',
  partner: ' (everywhere)',
  default: ' (default)',
}

function capsRow(grant: GrantWithCaps): string[] {
  const { perTx, perPartnerDay, perUserDay } = grant.caps
  const cell = ({ limit, from }: SetCap) => `${limit}${marks[from]}`
  return [tenantText(grant), cell(perTx), cell(perPartnerDay), cell(perUserDay)]
}

/** Each setting once, although a default or a cap of the partner applies in several tenants. */
function originsTable({ partnerId, grants }: ShownWithCaps): string {
  const rows = new Map<string, string[]>()
  for (const { tenantId, caps } of grants) {
    for (const [name, { limit, from, change }] of Object.entries(caps)) {
      const place = placeText(from, { partnerId, tenantId })
      const by =
        change === null
          ? ['not recorded', '', '']
          : [change.actor, change.at.replace(/\.\d+Z$/, 'Z'), change.reason ?? 'none given']
      rows.set(`${name} ${place}`, [name, String(limit), place, ...by])
    }
  }
  return fittedTable(
    [
      { heading: 'cap' },
      { heading: 'EP', align: 'right' },
      { heading: 'set for', wraps: true },
      { heading: 'by', wraps: true },
      { heading: 'at' },
      { heading: 'reason', wraps: true },
    ],
    [...rows.values()],
  )
}

function placeText(from: CapPlace, { partnerId, tenantId }: { partnerId: string; tenantId: string }): string {
  switch (from) {
    case 'default':
      return 'all'
    case 'partner':
      return partnerId
    case 'tenant':
      return tenantId
    case 'partner in tenant':
      return `${partnerId} in ${tenantId}`
  }
}
