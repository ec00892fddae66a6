import { createContext, h } from 'preact'
import { useContext, useMemo } from 'preact/hooks'
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

/** Loads the names once for all pages, and again now and then: most answers of the API have only IDs. */
export function NamesLoaded({ children }: { children?: Content }) {
  const { data } = useGet<NameList>(useMay('partners.read') ? '/names' : null, { everyMs: refreshMs })
  const names = useMemo(() => {
    const { partners, tenants } = data ?? none
    const byId = new Map(partners.map(({ partnerId, name }) => [partnerId, name]))
    return { nameOf: (partnerId: string) => byId.get(partnerId) ?? null, partners, tenants }
  }, [data])
  return h(NamesContext.Provider, { value: names }, children)
}
