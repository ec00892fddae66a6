/** Loaded into a process before anything else (NODE_OPTIONS=--import): its clock stands still. */
const now = Number(process.env.FIXED_CLOCK_MS)

Date.now = () => now
