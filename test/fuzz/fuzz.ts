import { longRun } from '../support/long-run.ts'
import { runFuzz } from './run-fuzz.ts'

await longRun('fuzz', { requests: 1_000_000, flips: 20 }, runFuzz)
