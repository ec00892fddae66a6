import { type Count, type Endpoint, others } from './journal-batch.ts'

type Kind = Pick<Count, 'code' | 'detail'> & { endpoint: Endpoint }
type Cell = Kind & { responses: number; points: number }

/** More different counts in one minute and batch go to the cell of the others. */
const cellsMax = 5_000

/**
 * The counts of one minute. A response costs two lookups, a comparison or two, and two additions: a partner has a handful of
 * kinds of responses in a tenant, and the ordinary one comes first, because it was the first one.
 */
export class CountCells {
  readonly minute: number
  readonly #partners = new Map<string, Map<string, Cell[]>>()
  #cells = 0
  #responses = 0

  constructor(minute: number) {
    this.minute = minute
  }

  /** Whether this pair was counted before: then its tenant is known to exist. */
  has(partnerId: string, tenantId: string): boolean {
    return this.#partners.get(partnerId)?.has(tenantId) === true
  }

  add(partnerId: string, tenantId: string, kind: Kind, points: number): void {
    const cell =
      this.#cellOf(partnerId, tenantId, kind) ?? this.#cellOf(others, others, kind, { always: true })!
    cell.responses++
    cell.points += points
    this.#responses++
  }

  get responses(): number {
    return this.#responses
  }

  read(): Count[] {
    const { minute } = this
    return [...this.#partners].flatMap(([partnerId, tenants]) =>
      [...tenants].flatMap(([tenantId, cells]) =>
        cells.map((cell) => ({ minute, partnerId, tenantId, ...cell })),
      ),
    )
  }

  #cellOf(partnerId: string, tenantId: string, kind: Kind, { always = false } = {}): Cell | null {
    const { endpoint, code, detail } = kind
    let tenants = this.#partners.get(partnerId)
    const known = tenants?.get(tenantId)
    if (known !== undefined) {
      for (const cell of known)
        if (cell.code === code && cell.detail === detail && cell.endpoint === endpoint) return cell
    }
    if (this.#cells >= cellsMax && !always) return null
    const cell = { endpoint, code, detail, responses: 0, points: 0 }
    this.#cells++
    if (known !== undefined) known.push(cell)
    else {
      tenants ??= new Map()
      this.#partners.set(partnerId, tenants)
      tenants.set(tenantId, [cell])
    }
    return cell
  }
}
