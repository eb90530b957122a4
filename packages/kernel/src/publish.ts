import { DateTime, Effect, Schema } from "effect"
import { type EventKind, encodeEnvelope } from "./Event.ts"
import { EventId, freshId, type OrganizationId, type WorkspaceId } from "./Ids.ts"
import { dispatchEvent } from "./Job.ts"
import { EventLog } from "./ports/EventLog.ts"
import { JobQueue } from "./ports/JobQueue.ts"

/**
 * Publishes an event: one row in the log and one job that dispatches it, both in the caller's transaction, so
 * that it is reported if and only if it happened. Answers the event's id.
 */
export const publish = Effect.fn("kernel.publish")(function* <Type extends string, Data extends Schema.Constraint>(
  kind: EventKind<Type, Data>,
  about: { readonly organizationId: OrganizationId; readonly workspaceId: WorkspaceId | null },
  data: Data["Type"]
) {
  const log = yield* EventLog
  const queue = yield* JobQueue
  const id = yield* freshId(EventId)
  const createdAt = yield* DateTime.now
  const encoded = Schema.encodeUnknownSync(kind.data as unknown as Schema.Codec<unknown, unknown>)(data)
  const body = encodeEnvelope({ id, type: kind.type, createdAt, data: encoded })
  yield* log.append({ id, type: kind.type, ...about, createdAt, body })
  yield* queue.enqueue(dispatchEvent, { event_id: id })
  return id
})
