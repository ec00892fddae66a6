import { NoAnswer } from '../no-answer.ts'

export type ColumnRole = 'order' | 'email' | 'amount' | 'points'

/** Where in a row each is; null where the file does not have it. */
export type Columns = Record<ColumnRole, number | null>

/** As people call them, without case, spaces, signs and accents. */
const namesOf: Record<ColumnRole, readonly string[]> = {
  order: [
    'orderid',
    'order',
    'orderno',
    'ordernumber',
    'ordercode',
    'orderref',
    'orderreference',
    'madonhang',
  ],
  email: ['email', 'useremail', 'emailaddress', 'mail', 'customeremail', 'buyeremail', 'emailkhachhang'],
  amount: [
    'amount',
    'rawamount',
    'total',
    'orderamount',
    'totalamount',
    'ordertotal',
    'ordervalue',
    'sotien',
    'tongtien',
  ],
  points: ['points', 'ep', 'eppoints', 'epcredited', 'creditedep', 'diem'],
}

type Wanted = {
  given: Partial<Record<ColumnRole, string>>
  isEmailIgnored: boolean
  /** Points alone do not say which amount gave them. */
  isAmountNeeded: boolean
}

/** The given names first; the rest by what columns are usually called. Never a guess between two. */
export function findColumns(header: string[], { given, isEmailIgnored, isAmountNeeded }: Wanted): Columns {
  const columns: Columns = { order: null, email: null, amount: null, points: null }
  for (const role of Object.keys(columns) as ColumnRole[]) {
    if (role === 'email' && isEmailIgnored) continue
    // Whoever names the one that counts does not want the other looked at.
    if (role === 'amount' && given.amount === undefined && given.points !== undefined) continue
    if (role === 'points' && given.points === undefined && given.amount !== undefined) continue
    columns[role] = given[role] === undefined ? detected(header, role) : named(header, given[role], role)
  }
  const missing = [
    ...(columns.order === null ? ['an order (--order-column)'] : []),
    ...(columns.email === null && !isEmailIgnored ? ['an e-mail (--email-column, or --ignore-email)'] : []),
    ...(columns.amount === null && isAmountNeeded ? ['an amount to send (--amount-column)'] : []),
    ...(columns.amount === null && columns.points === null && !isAmountNeeded
      ? ['an amount or points (--amount-column, --points-column)']
      : []),
  ]
  if (missing.length > 0) {
    throw new NoAnswer(
      `no column has ${missing.join(', nor ')}; the first row says: ${header.join(' | ')}${otherUnit(header)}`,
    )
  }
  return columns
}

function detected(header: string[], role: ColumnRole): number | null {
  const found = header.flatMap((name, index) => (roleOf(name) === role ? [index] : []))
  if (found.length > 1) {
    const names = found.map((index) => header[index]).join(' and ')
    throw new NoAnswer(`${names} can both be the ${role}: say which with --${role}-column`)
  }
  return found[0] ?? null
}

/** "Amount (EP)" is not an amount: sent as one, it would give a thousandth of the points. */
function roleOf(name: string): ColumnRole | undefined {
  const bare = plain(withoutUnit(name))
  const role = (Object.keys(namesOf) as ColumnRole[]).find((role) => namesOf[role].includes(bare))
  return role === 'amount' && /[([]EP[)\]]\s*$/i.test(name) ? 'points' : role
}

/** "Amount (VND)" is the amount. "Amount (USD)" is not taken for it: who sends that as the raw amount has to say so. */
function withoutUnit(name: string): string {
  return name.replace(/[\s_]*(?:[([](?:VN[DĐ]|₫|đ|đồng|dong|raw|raw units|EP)[)\]]|VN[DĐ])\s*$/i, '')
}

function named(header: string[], name: string, role: ColumnRole): number {
  const found = header.flatMap((heading, index) => (heading === name ? [index] : []))
  const option = `--${role}-column ${name}`
  if (found.length > 1) throw new NoAnswer(`${option}: there are ${found.length} columns of that name`)
  if (found.length === 0) throw new NoAnswer(`${option}: the columns are ${header.join(' | ')}`)
  return found[0]!
}

function otherUnit(header: string[]): string {
  const found = header.find((name) =>
    namesOf.amount.includes(plain(name.replace(/[([][^()[\]]*[)\]]\s*$/, ''))),
  )
  if (found === undefined) return ''
  return `. Is the number in "${found}" the one that you send as the amount? Then say --amount-column "${found}"`
}

function plain(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[đĐ]/g, 'd')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
}
