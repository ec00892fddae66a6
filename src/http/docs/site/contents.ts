// Marks the entry of the section that is being read, and keeps it in sight.
const list = document.querySelector<HTMLElement>('.contents')
const entries = [...document.querySelectorAll<HTMLAnchorElement>('.contents a')]
const sections = entries.map((entry) => document.getElementById(entry.hash.slice(1))!)
const readingLine = 140

/** A section that is not shown is nowhere. */
function isAbove(section: HTMLElement): boolean {
  return section.checkVisibility() && section.getBoundingClientRect().top < readingLine
}

function mark(): void {
  const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2
  const above = sections.findLastIndex(isAbove)
  const next = entries[isAtEnd && scrollY > 0 ? entries.length - 1 : above]
  const current = list?.querySelector('[aria-current]')
  if (next === current) return
  current?.removeAttribute('aria-current')
  next?.setAttribute('aria-current', 'true')
  if (list !== null && next !== undefined && list.scrollHeight > list.clientHeight)
    list.scrollTop = next.offsetTop - list.clientHeight / 2
}

if (list !== null) {
  addEventListener('scroll', mark, { passive: true })
  mark()
}
