import { longRun } from '../support/long-run.ts'
import { runInsider } from './run-insider.ts'

await longRun('insider', { ledgers: 60_000 }, runInsider)
