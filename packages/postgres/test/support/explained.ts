/** How Postgres means to run what a store asks for. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** A client that has every statement explained before it runs it. */
const explaining = (sql: SqlClient.SqlClient, plans: Array<string>): SqlClient.SqlClient =>
  new Proxy(sql, {
    apply: (target, self, args) => {
      const statement = Reflect.apply(target, self, args)
      const [text, parameters] = statement.compile()
      return sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain ${text}`, parameters).pipe(
        Effect.tap((rows) => Effect.sync(() => plans.push(rows.map((row) => row["QUERY PLAN"]).join("\n")))),
        Effect.andThen(statement)
      )
    }
  })

/** Does something with a store and answers the plans of its statements beside what came of it. */
export const explained = <Store, A>(
  store: Layer.Layer<Store, never, SqlClient.SqlClient>,
  act: Effect.Effect<A, never, Store>
) =>
  Effect.gen(function* () {
    const plans: Array<string> = []
    const client = Layer.succeed(SqlClient.SqlClient, explaining(yield* SqlClient.SqlClient, plans))
    const answer = yield* act.pipe(Effect.provide(Layer.provide(store, client)))
    return { answer, plan: plans.join("\n") }
  })
