/**
 * The caps of the customers of a service that embeds billing; they are no organizations of the platform. A port of this package, because the
 * domain knows caps of workspaces and runs only.
 */
import { PgSpendCaps } from "@agent-platform/postgres"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Keeps the caps that customers have of their own. */
export class Caps extends Context.Service<
  Caps,
  {
    /** Gives the customer with this id a cap of its own, or null for no cap; `customer` is the name that is kept with it. */
    readonly set: (id: string, customer: string, capUsd: string | null) => Effect.Effect<void>
    /** A customer's own cap; undefined for one that has none of its own. */
    readonly own: (id: string) => Effect.Effect<string | null | undefined>
  }
>()("@agent-platform/embed/billing/Caps") {}

/** The caps in this process's memory. */
export const layerMemory: Layer.Layer<Caps> = Layer.sync(Caps, () => {
  const caps = new Map<string, string | null>()
  return Caps.of({
    set: (id, _customer, capUsd) => Effect.sync(() => void caps.set(id, capUsd)),
    own: (id) => Effect.sync(() => caps.get(id))
  })
})

/** The caps in Postgres. */
export const layerPostgres: Layer.Layer<Caps, never, SqlClient.SqlClient> = Layer.effect(
  Caps,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const withClient = Effect.provideService(SqlClient.SqlClient, sql)
    return Caps.of({
      set: (id, customer, capUsd) => Effect.orDie(withClient(PgSpendCaps.write(id, customer, capUsd))),
      own: (id) => Effect.orDie(withClient(PgSpendCaps.read(id)))
    })
  })
)
