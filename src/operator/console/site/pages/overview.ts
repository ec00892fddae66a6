import { pageHead } from '../components/page-head.ts'
import { useTitle } from '../context.ts'

export function OverviewPage() {
  useTitle('Overview')
  return pageHead({ title: 'Overview' })
}
