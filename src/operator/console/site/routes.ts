import { h } from 'preact'
import type { Permission } from '../../access/permissions.ts'
import type { Content } from './html.ts'
import { AccountPage } from './pages/account.ts'
import { AuditPage } from './pages/audit.ts'
import { AwardPage } from './pages/award.ts'
import { FindPage } from './pages/find.ts'
import { LedgerPage } from './pages/ledger.ts'
import { OperatorsPage } from './pages/operators.ts'
import { OverviewPage } from './pages/overview.ts'
import { PartnerPage } from './pages/partner.ts'
import { PartnersPage } from './pages/partners.ts'
import { RefusalPage } from './pages/refusal.ts'
import { RefusalsPage } from './pages/refusals.ts'
import { ReportsPage } from './pages/reports.ts'
import { UserPage } from './pages/user.ts'
import { refusalPath } from './words/find-links.ts'

type Route = {
  /** `:name` stands for one part of the path. */
  path: string
  /** The permission without which the page can show nothing; null: everybody's. */
  needs: Permission | null
  page(parts: Record<string, string>, url: URL): Content
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
  { path: '/find', needs: 'awards.read', page: (_, url) => h(FindPage, { url }) },
  {
    path: '/awards/:epTransactionId',
    needs: 'awards.read',
    page: ({ epTransactionId }) => h(AwardPage, { id: epTransactionId!, key: epTransactionId! }),
  },
  { path: '/refusals', needs: 'awards.read', page: (_, url) => h(RefusalsPage, { url }) },
  {
    path: '/refusals/:requestId',
    needs: 'awards.read',
    page: ({ requestId }, { searchParams: query }) => {
      const place = { partnerId: query.get('partner'), at: query.get('at') }
      const path = refusalPath({ requestId: requestId!, ...place })
      return h(RefusalPage, { path, orderId: query.get('order'), key: path })
    },
  },
  {
    path: '/users/:tenantId',
    needs: 'personal.read',
    page: ({ tenantId }, url) => {
      const reference = url.searchParams.get('ref') ?? ''
      return h(UserPage, { tenantId: tenantId!, reference, key: reference })
    },
  },
  { path: '/reports', needs: 'figures.read', page: (_, url) => h(ReportsPage, { url }) },
  { path: '/audit', needs: 'audit.read', page: (_, url) => h(AuditPage, { url }) },
  { path: '/ledger', needs: 'verification.read', page: () => h(LedgerPage, {}) },
  { path: '/operators', needs: 'operators.read', page: () => h(OperatorsPage, {}) },
  { path: '/account', needs: null, page: () => h(AccountPage, {}) },
]

type Found = { needs: Permission | null; page(url: URL): Content }

/** Null if there is no such page. */
export function routeOf(path: string): Found | null {
  for (const { path: pattern, needs, page } of routes) {
    const parts = partsOf(pattern, path)
    if (parts !== null) return { needs, page: (url) => page(parts, url) }
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
