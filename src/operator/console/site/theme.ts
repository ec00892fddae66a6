type Theme = 'light' | 'dark'

/** The theme in force: the one that was chosen in this browser, otherwise that of the system. */
export function theme(): Theme {
  const { theme: chosen } = document.documentElement.dataset
  if (chosen === 'light' || chosen === 'dark') return chosen
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

/** Chooses the other theme and keeps the choice in this browser. */
export function switchTheme(): Theme {
  const other = theme() === 'dark' ? 'light' : 'dark'
  document.documentElement.dataset.theme = other
  localStorage.setItem('theme', other)
  return other
}
