/** The stores of `runs` over the kernel's `MemoryDatabase`. */
import type { MemoryDatabase } from "@agent-platform/kernel/memory"
import { Layer } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { AgentStore } from "../ports/AgentStore.ts"
import type { CheckpointStore } from "../ports/CheckpointStore.ts"
import type { InboundWebhookStore } from "../ports/InboundWebhookStore.ts"
import type { RecordKeyStore } from "../ports/RecordKeyStore.ts"
import type { RunAcceptance } from "../ports/RunAcceptance.ts"
import type { RunHistory } from "../ports/RunHistory.ts"
import type { RunLog } from "../ports/RunLog.ts"
import type { RunOutcomes } from "../ports/RunOutcomes.ts"
import type { RunQueue } from "../ports/RunQueue.ts"
import type { RunReader } from "../ports/RunReader.ts"
import type { RunSettlement } from "../ports/RunSettlement.ts"
import type { SessionRuns } from "../ports/SessionRuns.ts"
import type { SessionStore } from "../ports/SessionStore.ts"
import { layerAgentStore } from "./MemoryAgentStore.ts"
import { layerCheckpointStore } from "./MemoryCheckpointStore.ts"
import { layerInboundWebhookStore } from "./MemoryInboundWebhookStore.ts"
import { layerRecordKeyStore } from "./MemoryRecordKeyStore.ts"
import { layerRunAcceptance } from "./MemoryRunAcceptance.ts"
import { layerRunHistory } from "./MemoryRunHistory.ts"
import { layerRunLog } from "./MemoryRunLog.ts"
import { layerRunOutcomes } from "./MemoryRunOutcomes.ts"
import { layerRunQueue } from "./MemoryRunQueue.ts"
import { layerRunReader } from "./MemoryRunReader.ts"
import { layerRunSettlement } from "./MemoryRunSettlement.ts"
import { layerSessionRuns } from "./MemorySessionRuns.ts"
import { layerSessionStore } from "./MemorySessionStore.ts"

/** All stores. */
export const layer: Layer.Layer<
  | AgentStore
  | CheckpointStore
  | InboundWebhookStore
  | RecordKeyStore
  | SessionStore
  | RunReader
  | RunAcceptance
  | RunQueue
  | RunSettlement
  | SessionRuns
  | RunHistory
  | RunOutcomes
  | RunLog,
  never,
  MemoryDatabase | SecureRandom.SecureRandom
> = Layer.mergeAll(
  layerAgentStore,
  layerCheckpointStore,
  layerInboundWebhookStore,
  layerRecordKeyStore,
  layerSessionStore,
  layerRunReader,
  layerRunAcceptance,
  layerRunQueue,
  layerRunSettlement,
  layerSessionRuns,
  layerRunHistory,
  layerRunOutcomes,
  layerRunLog
)
