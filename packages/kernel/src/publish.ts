import { currentTraceparent, useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, Predicate, Schema } from "effect"
import type { EventKind } from "./Event.ts"
import { EventId, freshId, type OrganizationId, type WorkspaceId } from "./Ids.ts"
import { EventLog } from "./ports/EventLog.ts"
import { Outbox } from "./ports/Outbox.ts"

/** An event to publish: its kind, whom it concerns, and its data as the kind's schema has it. */
export interface NewEvent {
  readonly kind: EventKind<string, Schema.Constraint>
  readonly about: { readonly organizationId: OrganizationId; readonly workspaceId: WorkspaceId | null }
  readonly data: unknown
  /** The `traceparent` of the work that it reports; null for none. That of the current span unless given. */
  readonly trace?: string | null | undefined
}

/** The run that the data of an event names. */
const runIdOf = (data: unknown): string | undefined =>
  Predicate.hasProperty(data, "run_id") && typeof data.run_id === "string" ? data.run_id : undefined

/** Encodes an event. A kind in a list has lost the types of its schema, hence the cast; data that does not fit it is a defect. */
const toRecord = Effect.fnUntraced(function* ({ about, data, kind }: NewEvent, trace: string | null) {
  const id = yield* freshId(EventId)
  const createdAt = yield* DateTime.now
  const encoded = Schema.encodeUnknownSync(kind.data as unknown as Schema.Codec<unknown, unknown>)(data)
  const runId = runIdOf(encoded)
  return {
    ...{ id, type: kind.type, ...about, createdAt, data: JSON.stringify(encoded) },
    ...(runId === undefined ? {} : { runId }),
    ...(trace === null ? {} : { trace })
  }
})

/** Publishes any number of events by two writes: into the log, and into the outbox. Returns their ids, in their order. */
export const publishAll = useCase("kernel.publishAll")(function* (events: ReadonlyArray<NewEvent>) {
  if (events.length === 0) return []
  const log = yield* EventLog
  const outbox = yield* Outbox
  const current = yield* currentTraceparent
  const records = yield* Effect.forEach(events, (event) =>
    toRecord(event, event.trace === undefined ? current : event.trace)
  )
  yield* log.append(...records)
  const ids = records.map(({ id }) => id)
  yield* outbox.add(...ids)
  return ids
})

/**
 * Publishes an event: one row in the log and one in the outbox, both in the caller's transaction, so that it is reported if and
 * only if it happened. Returns the event's id. The casts lose the kind's own types, by which `data` is checked here, and say
 * that one event has one id.
 */
export const publish = <Type extends string, Data extends Schema.Constraint>(
  kind: EventKind<Type, Data>,
  about: NewEvent["about"],
  data: Data["Type"]
) => Effect.map(publishAll([{ kind: kind as unknown as NewEvent["kind"], about, data }]), ([id]) => id as EventId)
