/** How many blocks of the database a reading touches: what it costs, whatever else the machine does. */
import { PgActivityFeed, PgNotificationFeed } from "@agent-platform/postgres"
import { Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"

interface ExplainedRow {
  readonly "QUERY PLAN": ReadonlyArray<{
    readonly Plan: { readonly "Shared Hit Blocks": number; readonly "Shared Read Blocks": number }
  }>
}

const stores = Layer.merge(PgActivityFeed.layer, PgNotificationFeed.layer)

/** Reads once and answers the blocks of tables and indexes that its statements touched. */
export const blocksOf = <A>(reading: Effect.Effect<A, never, Layer.Success<typeof stores>>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const made: Array<Statement.Statement<object>> = []
    const recording = new Proxy(sql, {
      apply: (target, self, args) => {
        const statement = Reflect.apply(target, self, args)
        made.push(statement)
        return statement
      }
    })
    const client = Layer.succeed(SqlClient.SqlClient, recording)
    yield* Effect.provide(reading, Layer.provide(Layer.fresh(stores), client))
    // Statements are put together out of others; the whole ones begin with a verb.
    const whole = made
      .flatMap((one) => ("compile" in one ? [one.compile()] : []))
      .filter(([text]) => /^\s*(select|with)\b/.test(text))
    let blocks = 0
    for (const [text, parameters] of whole) {
      const rows = yield* sql.unsafe<ExplainedRow>(`explain (analyze, buffers, format json) ${text}`, parameters)
      const plan = rows[0]?.["QUERY PLAN"][0]?.Plan
      blocks += (plan?.["Shared Hit Blocks"] ?? 0) + (plan?.["Shared Read Blocks"] ?? 0)
    }
    return blocks
  })
