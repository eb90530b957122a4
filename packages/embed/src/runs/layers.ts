/** The domain over memory or Postgres, with all that it needs. */

import type { Signals, UnitOfWork } from "@agent-platform/kernel"
import { Egress, EventLog, FeedLog, FingerprintKeyStore, Idempotency, Outbox, SecretBox } from "@agent-platform/kernel"
import { layer as kernelMemory } from "@agent-platform/kernel/memory"
import {
  PgAgentStore,
  PgCheckpointStore,
  PgRunAcceptance,
  PgRunFeed,
  PgRunHistory,
  PgRunLog,
  PgRunQueue,
  PgRunReader,
  PgRunSettlement,
  PgSessionRuns,
  PgSessionStore,
  PgSignals,
  PgUnitOfWork
} from "@agent-platform/postgres"
import {
  AgentRunner,
  type AgentStore,
  type CheckpointStore,
  InboundWebhookStore,
  RecordKeyStore,
  type RunAcceptance,
  type RunFeed,
  type RunHistory,
  type RunLog,
  type RunQueue,
  type RunReader,
  type RunSettlement,
  Runs,
  type SessionRuns,
  type SessionStore,
  SpendGate
} from "@agent-platform/runs"
import { layer as storesMemory } from "@agent-platform/runs/memory"
import { DatabaseSchema } from "@agent-platform/toolkit"
import { Layer } from "effect"
import { Digest, SecureRandom, Signature } from "effect/crypto"
import type { SqlError } from "effect/sql/SqlError"
import type { Installation } from "../internal/database.ts"
import { layerLog } from "../internal/runtime.ts"
import type { RunsSettings } from "./options.ts"
import { recipesOf } from "./recipes.ts"

// Recipes are the host's own functions: nothing is called or sent, no secret is kept, and a host hears of its runs by themselves.
const unused = Layer.mergeAll(
  InboundWebhookStore.layerNone,
  RecordKeyStore.layerNone,
  SpendGate.layerOpen,
  Egress.layerNone,
  SecretBox.layerNone,
  FingerprintKeyStore.layerNone,
  Idempotency.layerNone,
  FeedLog.layerNone,
  EventLog.layerNone,
  Outbox.layerNone
)

const crypto = Layer.provideMerge(
  Layer.merge(Digest.layerWebCrypto, Signature.layerWebCrypto),
  SecureRandom.layerWebCrypto
)

const postgres = ({ client, schema }: Installation) =>
  Layer.mergeAll(
    PgAgentStore.layer,
    PgCheckpointStore.layer,
    PgRunAcceptance.layer,
    PgRunFeed.layer,
    PgRunHistory.layer,
    PgRunLog.layer,
    PgRunQueue.layer,
    PgRunReader.layer,
    PgRunSettlement.layer,
    PgSessionRuns.layer,
    PgSessionStore.layer
  ).pipe(
    Layer.provideMerge(Layer.merge(PgSignals.layer, PgUnitOfWork.layer)),
    Layer.provideMerge(client),
    Layer.provideMerge(Layer.succeed(DatabaseSchema, schema))
  )

const memory = Layer.provideMerge(storesMemory, kernelMemory)

/** Ports that the door and its worker use beside the domain. */
type Stores =
  | AgentStore
  | CheckpointStore
  | RunAcceptance
  | RunFeed
  | RunHistory
  | RunLog
  | RunQueue
  | RunReader
  | RunSettlement
  | SessionRuns
  | SessionStore
  | Signals
  | UnitOfWork

const storesOf = (installation: Installation | undefined): Layer.Layer<Stores, SqlError> =>
  installation === undefined ? memory : postgres(installation)

/** Everything that the door runs. */
export const layerOf = ({ installation, log, recipes }: RunsSettings) =>
  Runs.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(unused, crypto, AgentRunner.layer(recipesOf(recipes)))),
    Layer.provideMerge(storesOf(installation)),
    Layer.provideMerge(layerLog(log))
  )
