import { mark } from '../components/mark.ts'

export function statusMark(status: 'active' | 'suspended') {
  return status === 'active' ? mark('good', 'Active') : mark('bad', 'Suspended')
}
