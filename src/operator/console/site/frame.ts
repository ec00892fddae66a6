import { h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { AlertsAnswer } from '../../../answers/alerts.ts'
import { useConsole, useMay, useUrl } from './context.ts'
import { type Content, html } from './html.ts'
import { useGet } from './load.ts'
import { switchTheme, theme } from './theme.ts'
import { topClock } from './top-clock.ts'
import { findPlace } from './words/find-links.ts'

type Link = { href: string; name: string; needs: string | null }

/** What the role may not open is not listed. */
const links: Link[][] = [
  [
    { href: '/', name: 'Overview', needs: 'figures.read' },
    { href: '/partners', name: 'Partners', needs: 'partners.read' },
    { href: '/find', name: 'Find', needs: 'awards.read' },
    { href: '/reports', name: 'Reports', needs: 'figures.read' },
  ],
  [
    { href: '/audit', name: 'Audit', needs: 'audit.read' },
    { href: '/ledger', name: 'Ledger', needs: 'verification.read' },
    { href: '/operators', name: 'Operators and tokens', needs: 'operators.read' },
  ],
]

/** Which link is current on a page that has none of its own: the first of its trail. */
const above: Record<string, string> = { awards: '/find', refusals: '/find', users: '/find' }
/** The list is reached from the counts of the overview, a single refusal by finding it. */
const listOfRefusals = '/refusals'

type FrameProps = {
  page: Content
  /** What the last change did. */
  result: Content
  onSignOut(): void
}

/** Top bar, sidebar and the page. */
export function Frame({ page, result, onSignOut }: FrameProps) {
  const { router, session } = useConsole()
  const url = useUrl(router)
  const openAlerts = useOpenAlerts()
  const [isMenuOpen, setMenuOpen] = useState(false)
  const main = useRef<HTMLElement>(null)
  const menu = useRef<HTMLButtonElement>(null)
  useFocusOnTitle(main, url.pathname)
  useEffect(() => setMenuOpen(false), [url.href])
  useEffect(() => {
    if (!isMenuOpen) return
    const onKey = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape' || document.querySelector('dialog[open]') !== null) return
      setMenuOpen(false)
      menu.current!.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [isMenuOpen])
  useEffect(() => {
    document.body.classList.toggle('nav', isMenuOpen)
    return () => document.body.classList.remove('nav')
  }, [isMenuOpen])
  return html`
    <a class="skip" href="#content">Skip to content</a>
    <div class="app">
      <div class="bar"><header class="top">
        <a class="brand" href="/">Partner Credit</a>
        ${h(Search, {})} ${topClock()}
        <a class="me" href="/account" title="Your password and your sessions">
          <span class="vh">Your account, ${' '}</span><bdi>${session.operator.name}</bdi>
        </a>
        ${h(ThemeSwitch, {})}
        <button
          class="menu"
          type="button"
          ref=${menu}
          aria-expanded=${String(isMenuOpen)}
          aria-controls="side"
          onClick=${() => setMenuOpen(!isMenuOpen)}
        >
          Menu
        </button>
      </header>
      ${result}</div>
      <aside class="side" id="side" aria-label="Sidebar">
        <div>
          <a class="brand" href="/">Partner Credit<span>Operator console</span></a>
          <nav aria-label="Main">
            ${links.map(
              (group) => html`<ul>
                ${group
                  .filter(({ needs }) => needs === null || session.permissions.includes(needs))
                  .map((link) => navigationLink(link, url, openAlerts))}
              </ul>`,
            )}
          </nav>
          <div class="who">
            <b><bdi>${session.operator.name}</bdi></b>
            <span class="soft">${session.operator.role}</span>
            <p>
              <a href="/account" aria-current=${url.pathname === '/account' ? 'page' : undefined}>Your account</a>
              <button type="button" class="link" onClick=${onSignOut}>Sign out</button>
            </p>
          </div>
        </div>
      </aside>
      <main id="content" tabindex="-1" ref=${main}>${page}</main>
    </div>
  `
}

function navigationLink({ href, name }: Link, url: URL, openAlerts: number | null) {
  const first = url.pathname.split('/')[1]!
  const current = url.pathname === listOfRefusals ? '/' : (above[first] ?? `/${first}`)
  const isCurrent = href === current
  const count = href === '/' && openAlerts !== null && openAlerts > 0 ? openAlerts : null
  return html`<li key=${href}>
    <a href=${href} aria-current=${isCurrent ? 'page' : undefined}>
      ${name}${count !== null && html`<span class="count"><span class="vh">open alerts: </span>${count}</span>`}
    </a>
  </li>`
}

/** Shown beside the link to the overview on every page. */
function useOpenAlerts(): number | null {
  const may = useMay('figures.read')
  const { data } = useGet<AlertsAnswer>(may ? '/alerts?since=1m' : null, { everyMs: 30_000 })
  return data === null ? null : data.alerts.filter(({ endedAt }) => endedAt === null).length
}

/** A new page moves the focus to its title, once that is there. The first page leaves the focus alone. */
function useFocusOnTitle(main: { current: HTMLElement | null }, path: string): void {
  const shown = useRef(path)
  useEffect(() => {
    if (shown.current === path) return
    shown.current = path
    scrollTo(0, 0)
    const title = main.current!.querySelector('h1')
    ;(title ?? main.current!).focus()
  }, [path])
}

/** One field for whatever a partner or a customer has named. `/` moves the focus into it. */
function Search() {
  const { router } = useConsole()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { tagName } = event.target as Element
      if (event.key !== '/' || event.ctrlKey || event.metaKey || /^(INPUT|TEXTAREA|SELECT)$/.test(tagName))
        return
      event.preventDefault()
      input.current!.focus()
      input.current!.select()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  const find = (event: Event) => {
    event.preventDefault()
    const { value } = input.current!
    if (value.trim() === '') return
    const { to, typed } = findPlace(value)
    router.navigate(to, { typed })
    input.current!.value = ''
  }
  return html`<form class="search" role="search" onSubmit=${find}>
    <label class="vh" for="q">Find an order, address, transaction or request</label>
    <svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.75" aria-hidden="true">
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.5 10.5 4 4" />
    </svg>
    <input id="q" ref=${input} placeholder="Order, e-mail, transaction or request ID" autocomplete="off" spellcheck=${false} maxlength="320" />
    <kbd aria-hidden="true">/</kbd>
  </form>`
}

function ThemeSwitch() {
  const [current, setCurrent] = useState(theme())
  const other = current === 'dark' ? 'light' : 'dark'
  return html`<button
    class="plain"
    type="button"
    aria-label=${`Switch to the ${other} theme`}
    onClick=${() => setCurrent(switchTheme())}
  >
    ${other === 'dark' ? 'Dark' : 'Light'}
  </button>`
}
