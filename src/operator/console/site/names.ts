import { createContext, h } from 'preact'
import { useContext, useEffect, useMemo } from 'preact/hooks'
import type { NameList } from './api-answers.ts'
import { useMay } from './context.ts'
import type { Content } from './html.ts'
import { useGet } from './load.ts'

/** What partners are called, and which tenants there are. */
type Names = {
  /** Null: not known, or not yet. */
  nameOf(partnerId: string): string | null
  partners: NameList['partners']
  tenants: NameList['tenants']
}

const refreshMs = 60_000
const none: NameList = { partners: [], tenants: [], isCut: false }
const NamesContext = createContext<Names>({ nameOf: () => null, ...none })

export function useNames(): Names {
  return useContext(NamesContext)
}

/**
 * Loads the names once for all pages: most answers of the API have only IDs. Again now and then, because others change
 * them, and after each change that is made here.
 */
export function NamesLoaded({ lastChange, children }: { lastChange: number | null; children?: Content }) {
  const { data, reload } = useGet<NameList>(useMay('partners.read') ? '/names' : null, { everyMs: refreshMs })
  useEffect(() => {
    if (lastChange !== null) reload()
  }, [lastChange])
  const names = useMemo(() => {
    const { partners, tenants } = data ?? none
    const byId = new Map(partners.map(({ partnerId, name }) => [partnerId, name]))
    return { nameOf: (partnerId: string) => byId.get(partnerId) ?? null, partners, tenants }
  }, [data])
  return h(NamesContext.Provider, { value: names }, children)
}
