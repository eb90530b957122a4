/** Erasers that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { RecordEraser } from "@agent-platform/kernel"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { recordEraserContract } from "@agent-platform/kernel/testing"
import { Effect } from "effect"
import { faultsOf } from "./faultsOf.ts"

const fault = faultsOf(RecordEraser, kernel, recordEraserContract)

const OF_RESOURCES = "erases the keys that made these resources, and no others"
const OF_TENANTS = "erases those of a workspace portion by portion, and leaves those of its organization"

fault("an eraser that counts nothing", () => ({ count: () => Effect.succeed({ idempotency_keys: 0 }) }), [OF_RESOURCES])

fault(
  "an eraser that forgets the keys of single resources",
  (eraser) => ({
    erase: (what, max) => eraser.erase(what._tag === "Resources" ? { ...what, ids: [] } : what, max)
  }),
  [OF_RESOURCES]
)

fault("an eraser without portions", (eraser) => ({ erase: (what) => eraser.erase(what, 1_000) }), [OF_TENANTS])

fault(
  "an eraser that takes the keys of the organization with a workspace's",
  (eraser) => ({
    erase: (what, max) =>
      Effect.andThen(
        what._tag === "Tenant" ? eraser.erase({ ...what, workspaceId: null }, max) : Effect.void,
        eraser.erase(what, max)
      )
  }),
  [OF_TENANTS]
)
