import { h } from 'preact'
import type { Content } from './html.ts'
import { OverviewPage } from './pages/overview.ts'
import { PartnerPage } from './pages/partner.ts'
import { PartnersPage } from './pages/partners.ts'

type Route = {
  /** `:name` stands for one part of the path. */
  path: string
  /** The permission without which the page can show nothing; null: everybody's. */
  needs: string | null
  page(parts: Record<string, string>): Content
}

/** Every page of the console. What is here must also be in ../document.ts, which serves it. */
const routes: Route[] = [
  { path: '/', needs: 'figures.read', page: () => h(OverviewPage, {}) },
  { path: '/partners', needs: 'partners.read', page: () => h(PartnersPage, {}) },
  {
    path: '/partners/:partnerId',
    needs: 'partners.read',
    page: ({ partnerId }) => h(PartnerPage, { partnerId: partnerId!, key: partnerId! }),
  },
]

type Found = { needs: string | null; page(): Content }

/** Null if there is no such page. */
export function routeOf(path: string): Found | null {
  for (const { path: pattern, needs, page } of routes) {
    const parts = partsOf(pattern, path)
    if (parts !== null) return { needs, page: () => page(parts) }
  }
  return null
}

function partsOf(pattern: string, path: string): Record<string, string> | null {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  if (wanted.length !== given.length) return null
  const parts: Record<string, string> = {}
  for (const [index, name] of wanted.entries()) {
    if (name.startsWith(':')) parts[name.slice(1)] = decoded(given[index]!)
    else if (name !== given[index]) return null
  }
  return parts
}

/** A path that was cut or typed by hand may not be decodable. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
