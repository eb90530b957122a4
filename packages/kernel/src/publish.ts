import { DateTime, Effect, Schema } from "effect"
import { type EventKind, type EventRecord, encodeEnvelope } from "./Event.ts"
import { EventId, freshId, type OrganizationId, type WorkspaceId } from "./Ids.ts"
import { dispatchEvent } from "./Job.ts"
import { EventLog } from "./ports/EventLog.ts"
import { JobQueue } from "./ports/JobQueue.ts"
import { currentTraceparent } from "./Trace.ts"
import { useCase } from "./useCase.ts"

/** An event to publish: its kind, whom it concerns, and its data as the kind's schema has it. */
export interface NewEvent {
  readonly kind: EventKind<string, Schema.Constraint>
  readonly about: { readonly organizationId: OrganizationId; readonly workspaceId: WorkspaceId | null }
  readonly data: unknown
  /** The `traceparent` of what it reports; null for none. That of the current span unless given. */
  readonly trace?: string | null | undefined
}

/** What the job that dispatches an event holds. */
const dispatched = ({ id, trace }: EventRecord) => ({ event_id: id, ...(trace === undefined ? {} : { trace }) })

const toRecord = Effect.fnUntraced(function* ({ about, data, kind }: NewEvent, trace: string | null) {
  const id = yield* freshId(EventId)
  const createdAt = yield* DateTime.now
  const encoded = Schema.encodeUnknownSync(kind.data as unknown as Schema.Codec<unknown, unknown>)(data)
  const body = encodeEnvelope({ id, type: kind.type, createdAt, data: encoded })
  return { id, type: kind.type, ...about, createdAt, body, ...(trace === null ? {} : { trace }) }
})

/** Publishes events, however many by two writes: their rows in the log and the jobs that dispatch them. */
export const publishAll = useCase("kernel.publishAll")(function* (events: ReadonlyArray<NewEvent>) {
  if (events.length === 0) return []
  const log = yield* EventLog
  const queue = yield* JobQueue
  const current = yield* currentTraceparent
  const records = yield* Effect.forEach(events, (event) =>
    toRecord(event, event.trace === undefined ? current : event.trace)
  )
  yield* log.append(...records)
  yield* queue.enqueueAll(dispatchEvent, records.map(dispatched))
  return records.map(({ id }) => id)
})

/**
 * Publishes an event: one row in the log and one job that dispatches it, both in the caller's transaction, so
 * that it is reported if and only if it happened. Answers the event's id.
 */
export const publish = useCase("kernel.publish")(function* <Type extends string, Data extends Schema.Constraint>(
  kind: EventKind<Type, Data>,
  about: { readonly organizationId: OrganizationId; readonly workspaceId: WorkspaceId | null },
  data: Data["Type"]
) {
  const log = yield* EventLog
  const queue = yield* JobQueue
  const record = yield* toRecord({ kind: kind as unknown as NewEvent["kind"], about, data }, yield* currentTraceparent)
  yield* log.append(record)
  yield* queue.enqueue(dispatchEvent, dispatched(record))
  return record.id
})
