/** The names of tenants that have keys, a port of the entry point beside those of the domain. */
import type { OrganizationId } from "@agent-platform/kernel"
import { PgKeyTenants } from "@agent-platform/postgres"
import { Cache, Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

/** Most names that a process remembers. */
const NAMES_MAX = 10_000

/** Keeps names: the domain knows tenants by their ids alone. */
export class KeyTenants extends Context.Service<
  KeyTenants,
  {
    /** Keeps the name of a tenant, unless one is kept already. */
    readonly remember: (id: OrganizationId, tenant: string) => Effect.Effect<void>
    /** The tenant's name; the id itself where none is kept. */
    readonly nameOf: (id: OrganizationId) => Effect.Effect<string>
  }
>()("@agent-platform/embed/keys/KeyTenants") {}

/** The names in this process's memory. */
export const layerMemory: Layer.Layer<KeyTenants> = Layer.sync(KeyTenants, () => {
  const names = new Map<OrganizationId, string>()
  return KeyTenants.of({
    remember: (id, tenant) => Effect.sync(() => void (names.has(id) || names.set(id, tenant))),
    nameOf: (id) => Effect.sync(() => names.get(id) ?? id)
  })
})

/** The names in Postgres. A name never changes, so it is looked up once; in a transaction each time, since that may be rolled back. */
export const layerPostgres: Layer.Layer<KeyTenants, never, SqlClient.SqlClient> = Layer.effect(
  KeyTenants,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const withClient = Effect.provideService(SqlClient.SqlClient, sql)
    const lookup = (id: OrganizationId) =>
      Effect.map(Effect.orDie(withClient(PgKeyTenants.nameOf(id))), (name) => name ?? id)
    const names = yield* Cache.make({ capacity: NAMES_MAX, lookup })
    return KeyTenants.of({
      remember: (id, tenant) => Effect.orDie(withClient(PgKeyTenants.remember(id, tenant))),
      nameOf: (id) =>
        Effect.flatMap(Effect.serviceOption(sql.transactionService), (open) =>
          Option.isSome(open) ? lookup(id) : Cache.get(names, id)
        )
    })
  })
)
