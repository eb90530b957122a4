import type { SupportFacts } from "./facts.ts"
import {
  databaseCounters,
  heldLocks,
  openTransactions,
  serverSettings,
  sessionCounts,
  tableSizes
} from "./serverFacts.ts"
import {
  endpointCounts,
  migrationsRun,
  outboxCounts,
  pendingDeliveries,
  recentEndings,
  replayCounts,
  tenantCounts,
  unendedRuns
} from "./workCounts.ts"

/**
 * Facts about a database that may be given to strangers, by section: nothing in them was written by tenants, people or
 * other programs. Each section is one reading of bounded size; where one fails, the others are still there.
 */
export const supportFacts = (queueSchema: string): Readonly<Record<string, SupportFacts>> => ({
  migrations: migrationsRun,
  database: databaseCounters,
  postgres_settings: serverSettings,
  tables: tableSizes(queueSchema),
  sessions: sessionCounts,
  open_transactions: openTransactions,
  locks: heldLocks,
  tenants: tenantCounts,
  unended_runs: unendedRuns,
  recent_endings_of_runs: recentEndings,
  pending_deliveries: pendingDeliveries,
  outbox: outboxCounts,
  endpoints: endpointCounts,
  replays: replayCounts
})
