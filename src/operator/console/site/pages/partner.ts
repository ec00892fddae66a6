import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { PartnerDetails, PartnerUsage } from '../api-answers.ts'
import { stored } from '../components/mark.ts'
import { note } from '../components/note.ts'
import { pageHead } from '../components/page-head.ts'
import { grid } from '../components/panel.ts'
import { whenLoaded } from '../components/states.ts'
import { time } from '../components/time.ts'
import { useConsole, useMay, useTitle } from '../context.ts'
import { html } from '../html.ts'
import { useGet } from '../load.ts'
import { counted } from '../words/numbers.ts'
import { CapChange } from './partner-cap-change.ts'
import { capsPanel } from './partner-caps.ts'
import { ChangesPanel } from './partner-changes.ts'
import { type Action, PartnerDialog } from './partner-dialogs.ts'
import { keysPanel } from './partner-keys.ts'
import { RefusalPanels } from './partner-refusals.ts'
import { statusMark } from './partner-status.ts'
import { tenantsPanel } from './partner-tenants.ts'
import { fullNote, todayPanel } from './partner-today.ts'

const refreshMs = 10_000

/** How is this partner doing, and what may I change? */
export function PartnerPage({ partnerId }: { partnerId: string }) {
  const path = `/partners/${encodeURIComponent(partnerId)}`
  const loaded = useGet<PartnerDetails>(path, { everyMs: refreshMs })
  const usage = useGet<PartnerUsage>(`${path}/usage`, { everyMs: refreshMs })
  const [action, setAction] = useState<Action | null>(null)
  const [changes, setChanges] = useState(0)
  const { tell } = useConsole()
  const may = {
    suspend: useMay('partners.suspend'),
    change: useMay('partners.write'),
    keys: useMay('keys.write'),
  }
  useTitle(loaded.data?.name ?? 'Partner')
  useScrollToPlace(loaded.data !== null)
  function onDone(result: string): void {
    setAction(null)
    setChanges(changes + 1)
    loaded.reload()
    tell(`${result} It is in the audit, with your name and reason.`)
  }
  const { data } = loaded
  return html`
    ${pageHead({
      trail: [{ href: '/partners', name: 'Partners' }],
      title: data === null ? stored(partnerId) : stored(data.name),
      facts: data === null ? ' ' : factsOf(data),
      actions: data === null ? undefined : actionsOf(data, may, setAction),
    })}
    ${whenLoaded(
      loaded,
      { what: 'The partner', lines: 16, unaffected: 'Awards are not affected: the console only reads.' },
      (partner) => html`
        ${partner.status === 'suspended' && suspendedNote(partner, may.suspend, setAction)}
        ${(usage.data?.accounts ?? []).map((account) => fullNote(account, usage.data!.endsAt, may.change))}
        ${anchors()}
        ${grid(
          todayPanel(partner, usage),
          capsPanel(partner),
          may.change && h(CapChange, { partner, usage: usage.data, onDone }),
          keysPanel(partner, may.keys ? setAction : null),
          h(RefusalPanels, { partnerId }),
          tenantsPanel(partner, may.change ? setAction : null),
          h(ChangesPanel, { partnerId, version: changes }),
        )}
        ${action !== null && h(PartnerDialog, { action, partner, onClose: () => setAction(null), onDone })}
      `,
    )}
  `
}

function factsOf(partner: PartnerDetails) {
  const { partnerId, status, grants, createdAt } = partner
  return html`${statusMark(status)} · <code>${partnerId}</code> · ${counted(grants.length, 'tenant')} · created ${time(createdAt)}`
}

type May = { suspend: boolean; change: boolean; keys: boolean }

function actionsOf({ status, keys }: PartnerDetails, may: May, begin: (action: Action) => void) {
  const newest = keys.findLast(({ revokedAt }) => revokedAt === null)
  return html`
    ${
      may.change &&
      html`<button type="button" onClick=${() => begin({ kind: 'details' })}>Change name or rate</button>`
    }
    ${
      may.keys &&
      newest !== undefined &&
      html`<button type="button" onClick=${() => begin({ kind: 'rotate', keyId: newest.keyId })}>Rotate key</button>`
    }
    ${
      may.suspend &&
      (status === 'active'
        ? html`<button type="button" class="danger" onClick=${() => begin({ kind: 'suspend' })}>Suspend partner</button>`
        : html`<button type="button" onClick=${() => begin({ kind: 'resume' })}>Resume partner</button>`)
    }
  `
}

function suspendedNote({ name }: PartnerDetails, mayResume: boolean, begin: (action: Action) => void) {
  return note(
    {
      kind: 'warning',
      title: html`${stored(name)} is suspended.`,
      actions: mayResume
        ? html`<button type="button" onClick=${() => begin({ kind: 'resume' })}>Resume partner</button>`
        : undefined,
    },
    'New awards get 403 PARTNER_SUSPENDED. Replays of known orders and the history still work.',
  )
}

const places = [
  ['today', 'Today'],
  ['caps', 'Caps'],
  ['keys', 'Keys'],
  ['refusals', 'Refusals'],
  ['double-sending', 'Double sending'],
  ['tenants', 'Tenants'],
  ['changes', 'Changes'],
]

function anchors() {
  return html`<nav class="anchors" aria-label="On this page">
    ${places.map(([id, name]) => html`<a key=${id} href=${`#${id}`}>${name}</a>`)}
  </nav>`
}

/** The browser looks for the place of a link before the page has its panels. */
function useScrollToPlace(isThere: boolean): void {
  useEffect(() => {
    if (isThere && location.hash !== '') document.getElementById(location.hash.slice(1))?.scrollIntoView()
  }, [isThere])
}
