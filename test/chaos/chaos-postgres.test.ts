import { testShortForms } from './short-forms.ts'

testShortForms({
  nodes: { cycles: 2 },
  database: { rounds: 4 },
  'ambiguous-commit': { commits: 20 },
  'rolling-restart': { restarts: 1 },
  failover: { rounds: 1 },
  storms: { storms: 30 },
  caps: { rounds: 8 },
  walks: { walks: 24 },
})
