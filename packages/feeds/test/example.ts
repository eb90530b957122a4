import { Feeds } from "@agent-platform/feeds"
import { layer as stores } from "@agent-platform/feeds/memory"
import { notify, OrganizationId, UnitOfWork, WorkspaceId } from "@agent-platform/kernel"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Effect, Layer } from "effect"

// Who asks, and for which workspace: your service knows.
const caller = {
  organizationId: OrganizationId.make("01a1fd50-ceeb-745b-8b02-bf48380265e2"),
  workspaceId: WorkspaceId.make("01a1fd50-ceeb-745b-8b02-bf49d85f268d"),
  actor: { type: "user", id: "ada", label: "Ada" }
} as const

const program = Effect.gen(function* () {
  const [feeds, unit] = [yield* Feeds, yield* UnitOfWork]
  const { organizationId, workspaceId } = caller
  const about = { organizationId, workspaceId, payload: {} }
  yield* unit.atomic(notify({ ...about, type: "run.failed", title: "A run failed", body: "Out of words" }))
  const { unreadCount } = yield* feeds.readNotifications({ caller })
  yield* feeds.markRead({ caller, which: "all" })
  const { items } = yield* feeds.readNotifications({ caller })
  return [unreadCount, items[0]?.read] // [1, true]
})

const memory = Feeds.layer.pipe(Layer.provideMerge(stores), Layer.provideMerge(kernel))

export const example = program.pipe(Effect.provide(memory))
