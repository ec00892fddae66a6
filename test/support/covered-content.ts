/** In the page: what can be seen of its content now. */
export const rememberVisible = `
  const top = document.querySelector('.bar').getBoundingClientRect().bottom
  globalThis.visible = [...document.querySelectorAll('main :is(h2, h3, label, button, input, select, th, td, p)')]
    .filter((element) => {
      const box = element.getBoundingClientRect()
      return box.height > 0 && box.top >= top && box.bottom <= innerHeight
    })`
/** Which of it is behind the line that says what was changed. */
export const covered = `
  (() => {
    const line = document.querySelector('.result .note').getBoundingClientRect()
    return globalThis.visible.filter((element) => {
      const box = element.getBoundingClientRect()
      return element.isConnected && box.height > 0 && box.top < line.bottom - 1 && box.bottom > line.top + 1
        && box.left < line.right && box.right > line.left
    }).map((element) => element.textContent)
  })()`
