import { Overrides } from "@agent-platform/kernel"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, type Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import * as PgCallLedger from "./billing/PgCallLedger.ts"
import * as PgLedgerEraser from "./billing/PgLedgerEraser.ts"
import * as PgPriceOverrideStore from "./billing/PgPriceOverrideStore.ts"
import * as PgRollUpStore from "./billing/PgRollUpStore.ts"
import * as PgUsageCorrections from "./billing/PgUsageCorrections.ts"
import * as PgUsageFeed from "./billing/PgUsageFeed.ts"
import * as PgUsageReadings from "./billing/PgUsageReadings.ts"
import * as PgActivityFeed from "./feeds/PgActivityFeed.ts"
import * as PgActivityHistory from "./feeds/PgActivityHistory.ts"
import * as PgFeedEraser from "./feeds/PgFeedEraser.ts"
import * as PgNotificationFeed from "./feeds/PgNotificationFeed.ts"
import * as PgApiKeyStore from "./keys/PgApiKeyStore.ts"
import * as PgKeyEraser from "./keys/PgKeyEraser.ts"
import * as PgLoginStore from "./keys/PgLoginStore.ts"
import * as PgMemberStore from "./keys/PgMemberStore.ts"
import * as PgProviderKeyStore from "./keys/PgProviderKeyStore.ts"
import * as PgRateLimits from "./keys/PgRateLimits.ts"
import * as PgTenancyStore from "./keys/PgTenancyStore.ts"
import * as PgToolSecretStore from "./keys/PgToolSecretStore.ts"
import * as PgOutbox from "./outbox/PgOutbox.ts"
import * as PgErasureStore from "./PgErasureStore.ts"
import * as PgEventLog from "./PgEventLog.ts"
import * as PgFeedLog from "./PgFeedLog.ts"
import * as PgFingerprintKeyStore from "./PgFingerprintKeyStore.ts"
import * as PgIdempotency from "./PgIdempotency.ts"
import * as PgJobHistory from "./PgJobHistory.ts"
import * as PgRecordEraser from "./PgRecordEraser.ts"
import * as PgSignals from "./PgSignals.ts"
import * as PgTemplateStore from "./PgTemplateStore.ts"
import * as PgUnitOfWork from "./PgUnitOfWork.ts"
import { withPipelinedTransactions } from "./pipelined.ts"
import * as PgAgentStore from "./runs/PgAgentStore.ts"
import * as PgCheckpointStore from "./runs/PgCheckpointStore.ts"
import * as PgInboundWebhookStore from "./runs/PgInboundWebhookStore.ts"
import * as PgRecordKeyStore from "./runs/PgRecordKeyStore.ts"
import * as PgRunAcceptance from "./runs/PgRunAcceptance.ts"
import * as PgRunContentStore from "./runs/PgRunContentStore.ts"
import * as PgRunEraser from "./runs/PgRunEraser.ts"
import * as PgRunFeed from "./runs/PgRunFeed.ts"
import * as PgRunHistory from "./runs/PgRunHistory.ts"
import * as PgRunLog from "./runs/PgRunLog.ts"
import * as PgRunOutcomes from "./runs/PgRunOutcomes.ts"
import * as PgRunQueue from "./runs/PgRunQueue.ts"
import * as PgRunReader from "./runs/PgRunReader.ts"
import * as PgRunSettlement from "./runs/PgRunSettlement.ts"
import * as PgScheduleStore from "./runs/PgScheduleStore.ts"
import * as PgSessionRuns from "./runs/PgSessionRuns.ts"
import * as PgSessionStore from "./runs/PgSessionStore.ts"
import { makeClient, makeSessions } from "./sessions.ts"
import { TIMEOUTS, type Timeouts } from "./timeouts.ts"
import { layerWebhooks } from "./webhooks/layerWebhooks.ts"
import * as PgDeliveryEraser from "./webhooks/PgDeliveryEraser.ts"

/** The connection to the database. */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database?sslmode=…`, as `parseDatabaseUrl` reads it. */
  readonly url: Redacted.Redacted
  /** Most connections of this process, one of which listens for signals. 10 by default. */
  readonly maxConnections?: number | undefined
  /** How the connections are called in `pg_stat_activity`. */
  readonly applicationName?: string | undefined
  /** `TIMEOUTS.requests` by default. */
  readonly timeouts?: Timeouts | undefined
}

/**
 * Whether single statements may share connections, many in one write: at 32 callers a look-up by key then took 16 µs of our
 * CPU instead of 39, and twice as many passed. Not on Deno, where sql-pg 4.0.5 loses an answer within some hundred
 * transactions and waits for it for ever: Deno hands over data before it runs the microtask that the client counts on.
 */
const SHARED = !("Deno" in globalThis)

/** Fewer connections than this are not divided into exclusive and shared ones. */
const DIVIDED_MIN = 4

/** The part of the connections that is for transactions, each of which has one to itself. One more is for listening. */
const TRANSACTIONS_SHARE = 0.6

/**
 * Connections, opened when they are needed. Some are exclusive, for listening and for transactions, which send their statements
 * without waiting for each answer. The rest is shared by single statements. So a statement outside of a transaction must be short,
 * because it holds up those after it, or go through `askAlone`, which takes an exclusive connection. Nothing may hold a shared
 * connection for long, as LISTEN would: all who were lent the same one would wait. A connection whose other end went silent is closed.
 */
export const layerClient = (
  options: PostgresOptions
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError> => {
  const config = {
    applicationName: options.applicationName ?? "agent-platform",
    keepAlive: "10 seconds"
  } as const
  const timeouts = options.timeouts ?? TIMEOUTS.requests
  const maxConnections = options.maxConnections ?? 10
  const isDivided = SHARED && maxConnections >= DIVIDED_MIN
  const exclusive = isDivided ? Math.floor(maxConnections * TRANSACTIONS_SHARE) + 1 : 0
  return PgClient.layerFrom(
    Effect.gen(function* () {
      const shared = { ...config, maxConnections: maxConnections - exclusive, multiplex: isDivided }
      const client = yield* Effect.flatMap(makeSessions(options.url, shared, timeouts), makeClient)
      if (!isDivided) return client
      // Of a multiplexed pool, since only its connections pipeline; the concurrency of 1 lends each to one transaction at a time.
      const forTransactions = { ...config, maxConnections: exclusive, multiplex: true, multiplexConcurrency: 1 }
      return withPipelinedTransactions(client, yield* makeSessions(options.url, forTransactions, timeouts))
    })
  )
}

/** Every adapter over one client. The schema must be current: `migrate` makes it so. */
export const layer = Layer.mergeAll(
  PgUnitOfWork.layer,
  PgErasureStore.layer,
  Layer.provideMerge(Overrides.layer(), PgTemplateStore.layer),
  PgRecordEraser.layer,
  PgKeyEraser.layer,
  PgRunEraser.layer,
  PgLedgerEraser.layer,
  PgDeliveryEraser.layer,
  PgFeedEraser.layer,
  PgEventLog.layer,
  Layer.provide(PgOutbox.layer, PgSignals.layer),
  Layer.provide(PgFeedLog.layer, PgSignals.layer),
  PgFingerprintKeyStore.layer,
  PgIdempotency.layer,
  PgJobHistory.layer,
  PgSignals.layer,
  PgApiKeyStore.layer,
  PgLoginStore.layer,
  PgMemberStore.layer,
  PgProviderKeyStore.layer,
  PgRateLimits.layer,
  PgTenancyStore.layer,
  PgToolSecretStore.layer,
  PgAgentStore.layer,
  PgCheckpointStore.layer,
  PgRunContentStore.layer,
  PgInboundWebhookStore.layer,
  PgRecordKeyStore.layer,
  PgSessionStore.layer,
  PgRunReader.layer,
  PgRunAcceptance.layer,
  PgRunQueue.layer,
  PgRunSettlement.layer,
  PgScheduleStore.layer,
  PgSessionRuns.layer,
  PgRunFeed.layer,
  PgRunHistory.layer,
  PgRunLog.layer,
  PgRunOutcomes.layer,
  PgRollUpStore.layer,
  PgUsageCorrections.layer,
  PgUsageFeed.layer,
  PgUsageReadings.layer,
  layerWebhooks,
  PgActivityFeed.layer,
  PgActivityHistory.layer,
  PgNotificationFeed.layer,
  PgCallLedger.layer,
  PgPriceOverrideStore.layer
)

/** The ports that Postgres fulfils. */
export type PostgresPorts = Layer.Success<typeof layer>
