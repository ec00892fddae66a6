const observer = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const scrolls = target.scrollWidth > target.clientWidth || target.scrollHeight > target.clientHeight
    if (scrolls) target.setAttribute('tabindex', '0')
    else target.removeAttribute('tabindex')
  }
})

/** Lets the keyboard reach an element while it has something to scroll. */
export function scrollWithKeyboard<T extends HTMLElement>(place: T): T {
  observer.observe(place)
  return place
}
