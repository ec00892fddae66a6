import { readFileSync } from 'node:fs'

/**
 * Loaded into a server before anything else (NODE_OPTIONS=--import): its clock is ours plus as many milliseconds as
 * the file says, and follows it. The service itself has no switch for that.
 */
const path = process.env.CHAOS_CLOCK_FILE!
const ourClock = Date.now
const lookEveryMs = 5
let aheadMs = Number(readFileSync(path, 'utf8'))

Date.now = () => ourClock() + aheadMs

setInterval(() => {
  aheadMs = Number(readFileSync(path, 'utf8'))
}, lookEveryMs).unref()
