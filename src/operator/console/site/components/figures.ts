import { type Content, html } from '../html.ts'

/** The key figures of a page, each with its name and a line that explains it. */
export function figures(list: { name: string; value: Content; unit?: Content; note?: Content }[]) {
  return html`<dl class="stats">
    ${list.map(
      ({ name, value, unit, note }) => html`<div key=${name}>
        <dt>${name}</dt>
        <dd>${value}${unit !== undefined && html` <small>${unit}</small>`}</dd>
        ${note !== undefined && html`<dd class="s">${note}</dd>`}
      </div>`,
    )}
  </dl>`
}

/** Names and values, one under the other. */
export function rows(list: [name: string, value: Content][]) {
  return html`<dl class="rows">
    ${list.map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`
}
