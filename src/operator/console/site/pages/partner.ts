import { pageHead } from '../components/page-head.ts'
import { useTitle } from '../context.ts'

export function PartnerPage({ partnerId }: { partnerId: string }) {
  useTitle(partnerId)
  return pageHead({ title: partnerId })
}
