const storageKey = 'language'
const choices = [...document.querySelectorAll<HTMLInputElement>('.tabs input')]

// The language chosen in one place is shown in all, and remembered for the next page.
choose(remembered())
for (const choice of choices) {
  choice.addEventListener('change', () => {
    choose(choice.value)
    remember(choice.value)
  })
}

function choose(language: string | null): void {
  for (const choice of choices) if (choice.value === language) choice.checked = true
}

/** A browser may refuse its storage: then the choice lasts as long as the page. */
function remembered(): string | null {
  try {
    return localStorage.getItem(storageKey)
  } catch {
    return null
  }
}

function remember(language: string): void {
  try {
    localStorage.setItem(storageKey, language)
  } catch {
    // not remembered
  }
}
