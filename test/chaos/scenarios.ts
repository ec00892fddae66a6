import { kill } from './kill.ts'
import type { Scenario } from './scenario.ts'

/** Every way in which the world fails here. */
export const scenarios: Record<string, Scenario> = { kill }
