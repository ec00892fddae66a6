import { type Content, html } from '../html.ts'

type PanelProps = {
  title: Content
  /** Beside the title. */
  side?: Content
  footer?: Content
  /** How many of the twelve columns of the grid it takes. */
  columns?: 3 | 4 | 5 | 6 | 7 | 8 | 12
  /** So that a link can lead to it. */
  id?: string
}

/** A titled part of a page. Its content is a body with a margin, or a table without one. */
export function panel({ title, side, footer, columns, id }: PanelProps, ...content: Content[]) {
  return html`<section class=${`panel${columns === undefined ? '' : ` c${columns}`}`} id=${id}>
    <header>
      <h2>${title}</h2>
      ${side !== undefined && html`<span class="small">${side}</span>`}
    </header>
    ${content}
    ${footer !== undefined && html`<footer>${footer}</footer>`}
  </section>`
}

export function body(...content: Content[]) {
  return html`<div class="body">${content}</div>`
}

/** Twelve columns, for panels. */
export function grid(...panels: Content[]) {
  return html`<div class="grid">${panels}</div>`
}

export function stack(...content: Content[]) {
  return html`<div class="stack">${content}</div>`
}
