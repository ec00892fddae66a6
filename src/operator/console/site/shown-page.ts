import { rolesWith } from '../../access/permissions.ts'
import { empty } from './components/empty.ts'
import { pageHead } from './components/page-head.ts'
import { panel } from './components/panel.ts'
import { useConsole, useTitle, useUrl } from './context.ts'
import { type Content, html } from './html.ts'
import { routeOf } from './routes.ts'

/** The page that the URL names, if the operator may see it. */
export function ShownPage() {
  const { router, session } = useConsole()
  const url = useUrl(router)
  const route = routeOf(url.pathname)
  if (route === null)
    return html`<${Instead} title="Page not found" text="The console has no page at this address." />`
  if (route.needs !== null && !session.permissions.includes(route.needs)) {
    const { name, role } = session.operator
    const text = html`You are signed in as <bdi>${name}</bdi> with the role ${role}. This page needs the permission${' '}
      <code>${route.needs}</code>, which the role ${rolesWith(route.needs).join(' or ')} has. Ask somebody
      who has it, or an admin to give it to you.`
    return html`<${Instead} title="Your role may not open this page" text=${text} />`
  }
  return html`<div class="screen">${route.page(url)}</div>`
}

function Instead({ title, text }: { title: string; text: Content }) {
  useTitle(title)
  return html`<div class="screen">
    ${pageHead({ title })}
    ${panel(
      { title: 'What now?' },
      empty({ title, text, actions: html`<a class="btn" href="/">Back to the overview</a>` }),
    )}
  </div>`
}
