import { pageHead } from '../components/page-head.ts'
import { useTitle } from '../context.ts'

export function PartnersPage() {
  useTitle('Partners')
  return pageHead({ title: 'Partners' })
}
