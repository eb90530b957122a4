/** Every reading of the database that processes show among their metrics, by the name under which its age is shown. */
import { readDatabaseUp } from "./databaseUp.ts"
import { readConnections, readQueueAges } from "./queueAges.ts"
import { readQueueDepths } from "./queueDepths.ts"

export const DATABASE_READINGS = [
  { name: "database", read: readDatabaseUp },
  { name: "queue_ages", read: readQueueAges },
  { name: "queue_depths", read: readQueueDepths },
  { name: "connections", read: readConnections }
] as const
