// Runs before the first paint, as a classic script: it imports and exports nothing. See theme.ts.
const kept = localStorage.getItem('theme')
if (kept === 'light' || kept === 'dark') document.documentElement.dataset.theme = kept
