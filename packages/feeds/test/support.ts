import { Feeds } from "@agent-platform/feeds"
import { layer as stores } from "@agent-platform/feeds/memory"
import { FeedLog, type NotificationRecord, UnitOfWork, type WorkspaceCaller } from "@agent-platform/kernel"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { aNotification } from "@agent-platform/kernel/testing"
import { Effect, Layer } from "effect"

/** The ports of the domain in memory. */
export const ports = Layer.provideMerge(stores, kernel)

/** The whole domain over memory. */
export const memory = Feeds.layer.pipe(Layer.provideMerge(ports), Layer.fresh)

export const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>) => UnitOfWork.use((unit) => unit.atomic(effect))

/** Posts notices to the caller's workspace, or wherever else it is said, together; answers them. */
export const post = (
  { organizationId, workspaceId }: Pick<WorkspaceCaller, "organizationId" | "workspaceId">,
  overrides: ReadonlyArray<Partial<NotificationRecord>> = [{}]
) =>
  Effect.suspend(() => {
    const notices = overrides.map((override) => aNotification({ organizationId, workspaceId, ...override }))
    return Effect.as(atomic(FeedLog.use((log) => log.notify(...notices))), notices)
  })
