import { testShortForms } from './short-forms.ts'

/** Which scenarios are left out, and which tests hold instead what they show: docs/internals/testing.md. */
testShortForms({
  'journal-kill': { cycles: 1, postgres: 1, 'lost-max-ms': 5_000 },
  'readyz-flood': { connections: 200, ms: 500 },
  nodes: { cycles: 1 },
  database: { rounds: 4 },
  'ambiguous-commit': { commits: 12 },
  failover: { rounds: 1 },
  storms: { storms: 15 },
  caps: { rounds: 4 },
  'long-readers': { seconds: 1, postgres: 1, held: 1, partners: 2 },
  walks: { walks: 12 },
  'history-flood': { ms: 1_000, connections: 50, 'revoked-max-ms': 3_000, postgres: 1 },
  'many-nodes': { stores: 8, 'few-stores': 2, 'rtt-ms': 20, seconds: 2, clients: 20, 'least-percent': 0 },
})
