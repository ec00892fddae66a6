import { h } from 'preact'
import { segmented } from '../components/field.ts'
import { useMay, useTitle } from '../context.ts'
import { AccessLogView } from './audit-access.ts'
import { ChangesView } from './audit-changes.ts'

/** Who changed, read or was denied what, when and why. Changes are in the audit trail, the rest in the access log. */
export function AuditPage({ url }: { url: URL }) {
  useTitle('Audit')
  const maySeeAccess = useMay('access-log.read')
  const isAccess = maySeeAccess && url.searchParams.get('kind') === 'access'
  const kinds = maySeeAccess
    ? segmented('Kind', [
        { name: 'Changes', href: '/audit', isCurrent: !isAccess },
        { name: 'Sign-ins, reads and denials', href: '/audit?kind=access', isCurrent: isAccess },
      ])
    : null
  return h(isAccess ? AccessLogView : ChangesView, { query: url.searchParams, kinds })
}
