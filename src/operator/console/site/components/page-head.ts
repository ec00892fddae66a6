import { type Content, html } from '../html.ts'

type PageHeadProps = {
  title: Content
  /** The pages above this one. */
  trail?: { href: string; name: string }[]
  /** Under the title, in one line. */
  facts?: Content
  actions?: Content
}

/** The first thing of every page. A new page moves the focus to its title: see frame.ts. */
export function pageHead({ title, trail = [], facts, actions }: PageHeadProps) {
  return html`<div class="head">
    <div>
      ${
        trail.length > 0 &&
        html`<nav class="crumb" aria-label="Trail">
          ${trail.map(
            ({ href, name }, index) =>
              html`${index > 0 && html` <span aria-hidden="true">/</span> `}<a href=${href}>${name}</a>`,
          )}
        </nav>`
      }
      <h1 tabindex="-1">${title}</h1>
      ${facts !== undefined && html`<p>${facts}</p>`}
    </div>
    ${actions !== undefined && html`<div class="acts">${actions}</div>`}
  </div>`
}
