import { type Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** The layer of a port that needs nothing but the database. Curried, so that the types of its methods follow from the port. */
export const layerSql =
  <Port, Service>(port: Context.Key<Port, Service>) =>
  (make: (sql: SqlClient.SqlClient) => Service): Layer.Layer<Port, never, SqlClient.SqlClient> =>
    Layer.effect(port, Effect.map(SqlClient.SqlClient, make))
