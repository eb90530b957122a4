/** Erasers that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { FeedEraser } from "@agent-platform/feeds"
import { layer as stores } from "@agent-platform/feeds/memory"
import { feedEraserContract } from "@agent-platform/feeds/testing"
import { feedTables, layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { Effect, Layer } from "effect"
import { faultsOf } from "../../kernel/test/faultsOf.ts"
import { feedReading } from "./feedReading.ts"

const memory = Layer.mergeAll(stores, Tenants.layerUnfounded).pipe(Layer.provideMerge(kernel))

const fault = faultsOf(FeedEraser, memory, (name, layer) => feedEraserContract(name, layer, feedReading))

const OF_RESOURCES = "erases entries about resources, and the words of notices about them"
const OF_WORKSPACES = "erases a workspace portion by portion, and nothing of its organization or another workspace"
const OF_PEOPLE = "takes a person's name out of what they did, and erases what names them as a member"

fault(
  "an eraser that leaves the words of notices",
  (eraser, database) => ({
    erase: (what, max) =>
      Effect.gen(function* () {
        const { notification } = feedTables(database)
        const notices = yield* notification.all
        const portion = yield* eraser.erase(what, max)
        if (what._tag === "Resources") for (const notice of notices) yield* notification.put(notice.id, notice)
        return portion
      })
  }),
  [OF_RESOURCES]
)

fault(
  "an eraser that takes the entries about erasures, too",
  (eraser, database) => ({
    erase: (what, max) =>
      Effect.gen(function* () {
        const { activity } = feedTables(database)
        const ids = what._tag === "Resources" ? what.ids : []
        for (const { id, resourceId } of yield* activity.all) if (ids.includes(resourceId)) yield* activity.remove(id)
        return yield* eraser.erase(what, max)
      })
  }),
  [OF_RESOURCES]
)

fault("an eraser without portions", (eraser) => ({ erase: (what) => eraser.erase(what, 1_000) }), [OF_WORKSPACES])

fault(
  "an eraser that takes the entries of the organization with a workspace's",
  (eraser) => ({
    erase: (what, max) =>
      Effect.andThen(
        what._tag === "Tenant" ? eraser.erase({ ...what, workspaceId: null }, max) : Effect.void,
        eraser.erase(what, max)
      )
  }),
  [OF_WORKSPACES]
)

fault(
  "an eraser that leaves the name of a person where they did something",
  (eraser) => ({
    erase: (what, max) => eraser.erase(what._tag === "Person" ? { ...what, userId: null } : what, max)
  }),
  [OF_PEOPLE]
)

fault(
  "an eraser that leaves invitations",
  (eraser) => ({
    erase: (what, max) => eraser.erase(what._tag === "Person" ? { ...what, emails: [] } : what, max)
  }),
  [OF_PEOPLE]
)
