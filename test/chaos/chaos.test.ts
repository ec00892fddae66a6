import { testShortForms } from './short-forms.ts'

testShortForms({
  'journal-kill': { cycles: 1, 'lost-max-ms': 5_000 },
  'disk-full': { rounds: 2 },
  midnight: { rounds: 2 },
  suspend: { cycles: 4, postgres: 0, 'settle-ms': 100 },
  overload: { ms: 300, connections: 200 },
  slowloris: { connections: 500, seconds: 1 },
  flood: { ms: 300, connections: 200, partners: 4, pipelined: 4 },
  'long-readers': { seconds: 1, partners: 2, 'log-max-mb': 160 },
  'pipelining-flood': { requests: 50_000, ms: 1000, 'warm-ups': 0 },
  'connection-hoarding': { 'of-one-address': 1100, idle: 200, ms: 1000 },
  'unread-responses': { ms: 1000, 'warm-ups': 1 },
  'history-flood': { ms: 1_000, connections: 50, 'revoked-max-ms': 3_000, postgres: 0 },
})
