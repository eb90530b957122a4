/** The plans of a store's statements. */
import { Effect, Layer } from "effect"
import { SqlClient, Statement } from "effect/sql"

/** A client that has every statement explained before it runs it, one that asks alone among them. */
const explaining = (sql: SqlClient.SqlClient, plans: Array<string>): SqlClient.SqlClient => {
  const explain = (text: string, parameters: ReadonlyArray<unknown>) =>
    Effect.map(sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain ${text}`, parameters), (rows) => {
      plans.push(rows.map((row) => row["QUERY PLAN"]).join("\n"))
    })
  const reserve: SqlClient.SqlClient["reserve"] = Effect.map(sql.reserve, (connection) => ({
    ...connection,
    execute: (text, parameters, transform) =>
      Effect.andThen(explain(text, parameters), connection.execute(text, parameters, transform))
  }))
  return new Proxy(sql, {
    get: (target, name, self) => (name === "reserve" ? reserve : Reflect.get(target, name, self)),
    apply: (target, self, args) => {
      const statement = Reflect.apply(target, self, args)
      const compile = () => statement.compile()
      const explaining = Effect.suspend(() => explain(...(compile() as [string, Array<unknown>])))
      // A statement may be a part of another one.
      return Object.assign(Effect.andThen(explaining, statement), { compile }, Statement.fragment(statement.segments))
    }
  })
}

/** Does something with a store and answers the plans of its statements, and how many there were, beside what came of it. */
export const explained = <Store, A>(
  store: Layer.Layer<Store, never, SqlClient.SqlClient>,
  act: Effect.Effect<A, never, Store>
) =>
  Effect.gen(function* () {
    const plans: Array<string> = []
    const client = Layer.succeed(SqlClient.SqlClient, explaining(yield* SqlClient.SqlClient, plans))
    const answer = yield* act.pipe(Effect.provide(Layer.provide(store, client)))
    return { answer, plan: plans.join("\n"), statements: plans.length }
  })
