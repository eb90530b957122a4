/** The domain over memory or Postgres, with all that it needs. */

import {
  Egress,
  EventLog,
  FeedLog,
  FingerprintKeyStore,
  Idempotency,
  Outbox,
  Overrides,
  SecretBox
} from "@agent-platform/kernel"
import { layer as kernelMemory } from "@agent-platform/kernel/memory"
import {
  PgAgentStore,
  PgCheckpointStore,
  PgRunAcceptance,
  PgRunContentStore,
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
  InboundWebhookStore,
  RecordKeyStore,
  Runs,
  ScheduleStore,
  SpendGate,
  SpendGuard
} from "@agent-platform/runs"
import { layer as storesMemory } from "@agent-platform/runs/memory"
import { Layer } from "effect"
import { Digest, SecureRandom, Signature } from "effect/crypto"
import { layerStores } from "../internal/database.ts"
import { layerLog } from "../internal/runtime.ts"
import type { RunsSettings } from "./options.ts"
import { recipesOf } from "./recipes.ts"

// Recipes are the host's own functions, and a host follows its runs: nothing is called or sent, and no secret is kept.
const unused = Layer.mergeAll(
  InboundWebhookStore.layerNone,
  RecordKeyStore.layerNone,
  ScheduleStore.layerNone,
  SpendGate.layerOpen,
  SpendGuard.layerUnmetered,
  Egress.layerNone,
  SecretBox.layerNone,
  FingerprintKeyStore.layerNone,
  Idempotency.layerNone,
  FeedLog.layerNone,
  EventLog.layerNone,
  Outbox.layerNone,
  Overrides.layerNone
)

const crypto = Layer.provideMerge(
  Layer.merge(Digest.layerWebCrypto, Signature.layerWebCrypto),
  SecureRandom.layerWebCrypto
)

const postgres = Layer.mergeAll(
  PgAgentStore.layer,
  PgCheckpointStore.layer,
  PgRunContentStore.layer,
  PgRunAcceptance.layer,
  PgRunFeed.layer,
  PgRunHistory.layer,
  PgRunLog.layer,
  PgRunQueue.layer,
  PgRunReader.layer,
  PgRunSettlement.layer,
  PgSessionRuns.layer,
  PgSessionStore.layer
).pipe(Layer.provideMerge(Layer.merge(PgSignals.layer, PgUnitOfWork.layer)))

const memory = Layer.provideMerge(storesMemory, kernelMemory)

/** Everything that the entry point runs. */
export const layerOf = ({ installation, log, recipes }: RunsSettings) =>
  Runs.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(unused, crypto, AgentRunner.layer(recipesOf(recipes)))),
    Layer.provideMerge(layerStores(installation, memory, postgres)),
    Layer.provideMerge(layerLog(log))
  )
