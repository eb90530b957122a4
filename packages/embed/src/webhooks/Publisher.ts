/** Publishing and the names of tenants, a port of the entry point beside those of the domain. */
import {
  EVENTS_ADDED,
  EventId,
  EventLog,
  firstIdAt,
  type OrganizationId,
  Outbox,
  Signals,
  UnitOfWork
} from "@agent-platform/kernel"
import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { EVENT_ID_HOURS_MAX, EVENT_ID_MINUTES_AHEAD_MAX, PgPublishing } from "@agent-platform/postgres"
import { DatabaseSchema } from "@agent-platform/toolkit"
import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { EmbedError } from "../internal/EmbedError.ts"

/** An event whose parts were checked. */
export interface CheckedEvent {
  readonly id: EventId
  readonly tenant: string
  readonly organizationId: OrganizationId
  readonly type: string
  readonly text: string
  readonly value: object
}

/** Publishes events, and keeps the names of tenants, which the domain knows by their ids alone. */
export class Publisher extends Context.Service<
  Publisher,
  {
    /** Publishes an event in a transaction of its own; one that is there already is left as it is. */
    readonly publish: (event: CheckedEvent) => Effect.Effect<void, EmbedError>
    /** Writes the settings of the SQL function `publish_event`; nothing in memory, which has none. */
    readonly configure: (settings: PgPublishing.PublishSettings) => Effect.Effect<void>
    readonly remember: (id: OrganizationId, tenant: string) => Effect.Effect<void>
    /** The tenant's name; the id itself where none is kept. */
    readonly nameOf: (id: OrganizationId) => Effect.Effect<string>
    /** Does something once the open transaction has committed. */
    readonly afterCommit: (effect: Effect.Effect<void>) => Effect.Effect<void>
  }
>()("@agent-platform/embed/webhooks/Publisher") {}

/** Refuses ids that are no UUIDv7 of the last 24 hours or the next 5 minutes, as `publish_event` does. */
export const requireId = (id: string, now: DateTime.Utc): EventId => {
  const first = firstIdAt(DateTime.subtract(now, { hours: EVENT_ID_HOURS_MAX }))
  const last = firstIdAt(DateTime.add(now, { minutes: EVENT_ID_MINUTES_AHEAD_MAX }))
  const isUuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(id)
  if (isUuid7 && id >= first && id <= last) return EventId.make(id)
  throw new EmbedError(
    "event_id_invalid",
    `The id of an event is a UUIDv7 of the last ${EVENT_ID_HOURS_MAX} hours, in small letters: ${JSON.stringify(id)} is not`
  )
}

/** Publishes into this process's memory. */
export const layerMemory: Layer.Layer<Publisher, never, MemoryDatabase | EventLog | Outbox | UnitOfWork> = Layer.effect(
  Publisher,
  Effect.gen(function* () {
    const database = yield* MemoryDatabase
    const [log, outbox, unit] = [yield* EventLog, yield* Outbox, yield* UnitOfWork]
    const names = new Map<OrganizationId, string>()
    return Publisher.of({
      publish: ({ id, organizationId, type, value }) =>
        unit.atomic(
          Effect.gen(function* () {
            const [earlier] = yield* log.find([id])
            if (earlier !== undefined) {
              if (earlier.organizationId === organizationId && earlier.type === type) return
              return yield* Effect.fail(new EmbedError("event_refused", `another event has the id ${id}`))
            }
            const createdAt = yield* DateTime.now
            yield* log.append({ id, type, organizationId, workspaceId: null, createdAt, data: JSON.stringify(value) })
            yield* outbox.add(id)
          })
        ),
      configure: () => Effect.void,
      remember: (id, tenant) => Effect.sync(() => void names.set(id, tenant)),
      nameOf: (id) => Effect.sync(() => names.get(id) ?? id),
      afterCommit: database.afterCommit
    })
  })
)

/** The parameters of the SQL function `publish_event`, in the order of `publishStatement`. */
export const publishParams = ({ id, tenant, text, type }: CheckedEvent): Array<string | null> => [
  tenant,
  type,
  text,
  id
]

/** Publishes into Postgres, by the same SQL function that clients of the host call. */
export const layerPostgres: Layer.Layer<Publisher, never, PgClient.PgClient | Signals | UnitOfWork> = Layer.effect(
  Publisher,
  Effect.gen(function* () {
    const pg = yield* PgClient.PgClient
    const [signals, unit] = [yield* Signals, yield* UnitOfWork]
    const statement = PgPublishing.publishStatement(yield* DatabaseSchema)
    const withClient = Effect.provideService(SqlClient.SqlClient, pg)
    return Publisher.of({
      publish: (event) =>
        unit.atomic(
          Effect.andThen(Effect.orDie(pg.unsafe(statement, publishParams(event))), signals.raise(EVENTS_ADDED))
        ),
      configure: (settings) => Effect.orDie(withClient(PgPublishing.configure(settings))),
      remember: (id, tenant) => Effect.orDie(withClient(PgPublishing.rememberTenant(id, tenant))),
      nameOf: (id) => Effect.map(Effect.orDie(withClient(PgPublishing.nameOfTenant(id))), (name) => name ?? id),
      afterCommit: pg.afterCommit
    })
  })
)
