/** The stores of `runs` over the kernel's `MemoryDatabase`. */
import { Layer } from "effect"
import { layerAgentStore } from "./MemoryAgentStore.ts"
import { layerCheckpointStore } from "./MemoryCheckpointStore.ts"
import { layerInboundWebhookStore } from "./MemoryInboundWebhookStore.ts"
import { layerRecordKeyStore } from "./MemoryRecordKeyStore.ts"
import { layerRunAcceptance } from "./MemoryRunAcceptance.ts"
import { layerRunContentStore } from "./MemoryRunContentStore.ts"
import { layerRunEraser } from "./MemoryRunEraser.ts"
import { layerRunFeed } from "./MemoryRunFeed.ts"
import { layerRunHistory } from "./MemoryRunHistory.ts"
import { layerRunLog } from "./MemoryRunLog.ts"
import { layerRunOutcomes } from "./MemoryRunOutcomes.ts"
import { layerRunQueue } from "./MemoryRunQueue.ts"
import { layerRunReader } from "./MemoryRunReader.ts"
import { layerRunSettlement } from "./MemoryRunSettlement.ts"
import { layerScheduleStore } from "./MemoryScheduleStore.ts"
import { layerSessionRuns } from "./MemorySessionRuns.ts"
import { layerSessionStore } from "./MemorySessionStore.ts"

/** All stores. */
export const layer = Layer.mergeAll(
  layerAgentStore,
  layerCheckpointStore,
  layerInboundWebhookStore,
  layerRecordKeyStore,
  layerSessionStore,
  layerRunReader,
  layerRunAcceptance,
  layerRunContentStore,
  layerRunQueue,
  layerRunSettlement,
  layerScheduleStore,
  layerSessionRuns,
  layerRunEraser,
  layerRunFeed,
  layerRunHistory,
  layerRunOutcomes,
  layerRunLog
)
