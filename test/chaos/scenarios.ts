import { ambiguousCommit } from './ambiguous-commit.ts'
import { caps } from './caps.ts'
import { citusKill } from './citus-kill.ts'
import { citusRebalance } from './citus-rebalance.ts'
import { citusStandby } from './citus-standby.ts'
import { connectionHoarding } from './connection-hoarding.ts'
import { database } from './database.ts'
import { diskFull } from './disk-full.ts'
import { failover } from './failover.ts'
import { flood } from './flood.ts'
import { historyFlood } from './history-flood.ts'
import { journalKill } from './journal-kill.ts'
import { kill } from './kill.ts'
import { longReaders } from './long-readers.ts'
import { manyNodes } from './many-nodes.ts'
import { midnight } from './midnight.ts'
import { nodes } from './nodes.ts'
import { overload } from './overload.ts'
import { pipeliningFlood } from './pipelining-flood.ts'
import { readyzFlood } from './readyz-flood.ts'
import { rollingRestart } from './rolling-restart.ts'
import type { Scenario } from './scenario.ts'
import { slowloris } from './slowloris.ts'
import { storms } from './storms.ts'
import { suspend } from './suspend.ts'
import { unreadResponses } from './unread-responses.ts'
import { walks } from './walks.ts'

/** All scenarios, by the name that `npm run chaos` takes. */
export const scenarios: Record<string, Scenario> = {
  kill,
  'journal-kill': journalKill,
  'disk-full': diskFull,
  midnight,
  overload,
  slowloris,
  flood,
  'pipelining-flood': pipeliningFlood,
  'unread-responses': unreadResponses,
  'connection-hoarding': connectionHoarding,
  'readyz-flood': readyzFlood,
  'history-flood': historyFlood,
  nodes,
  'many-nodes': manyNodes,
  database,
  'ambiguous-commit': ambiguousCommit,
  'rolling-restart': rollingRestart,
  failover,
  storms,
  caps,
  walks,
  'long-readers': longReaders,
  suspend,
  'citus-kill': citusKill,
  'citus-rebalance': citusRebalance,
  'citus-standby': citusStandby,
}
