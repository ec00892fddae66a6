import { type Content, html } from '../html.ts'

type Column = {
  head: Content
  /** Beside the cell where a stacked table has no heads; '' for none. `head`, if that is a text. */
  label?: string
  /** Aligned to the right. */
  isNumber?: boolean
  /** For bars. */
  isWide?: boolean
  /** Its head is only for screen readers. */
  isHeadHidden?: boolean
  /** Left out on narrow screens. */
  isMinor?: boolean
  keepsLine?: boolean
  /** The row header is not bold. */
  isPlain?: boolean
}

type TableProps = {
  /** Says what the table shows; for screen readers. */
  caption: string
  columns: Column[]
  /** The first cell of a row is its header. `null` leaves a cell empty. */
  rows: { key: string; cells: Content[]; isMarked?: boolean }[]
  foot?: Content[] | undefined
  /** What becomes of it on a narrow screen: labeled blocks, or it scrolls under a fixed first column. */
  narrow?: 'stacked' | 'scrolls'
  /** Without the margin at its sides, inside a panel's body. */
  isBare?: boolean
}

export function table({ caption, columns, rows, foot, narrow = 'stacked', isBare = false }: TableProps) {
  const classOf = ({ isNumber, isWide, isMinor, keepsLine, isPlain }: Column) =>
    [isPlain && 'reg', isNumber && 'num', isWide && 'wide', isMinor && 'hm', keepsLine && 'nowrap']
      .filter(Boolean)
      .join(' ')
  const labelOf = ({ label, head, isHeadHidden }: Column) =>
    label ?? (typeof head === 'string' && !isHeadHidden ? head : '')
  const cellsOf = (cells: Content[]) =>
    columns.map((column, index) =>
      index === 0
        ? html`<th scope="row" class=${classOf(column)}>${cells[0]}</th>`
        : html`<td class=${classOf(column)} data-l=${labelOf(column)}><span>${cells[index]}</span></td>`,
    )
  return html`<div
    class=${`tw${isBare ? ' bare' : ''}${narrow === 'scrolls' ? ' sc' : ''}`}
    tabindex="0"
    role="region"
    aria-label=${caption}
  >
    <table class=${narrow === 'stacked' ? 'st' : ''}>
      <caption class="vh">${caption}</caption>
      <thead>
        <tr>
          ${columns.map(
            (column) => html`<th scope="col" class=${classOf(column)}>
              ${column.isHeadHidden ? html`<span class="vh">${column.head}</span>` : column.head}
            </th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map(({ key, cells, isMarked }) => html`<tr key=${key} class=${isMarked ? 'marked' : ''}>${cellsOf(cells)}</tr>`)}
      </tbody>
      ${foot !== undefined && html`<tfoot><tr>${cellsOf(foot)}</tr></tfoot>`}
    </table>
  </div>`
}

/** The second line of a cell. */
export function sub(...content: Content[]) {
  return html`<span class="sub">${content}</span>`
}
