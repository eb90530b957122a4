/** How many blocks of the database a reading touches: what it costs, whatever else the machine does. */
import { PgActivityFeed, PgNotificationFeed } from "@agent-platform/postgres"
import { Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"

interface Plan {
  readonly "Node Type": string
  readonly "Shared Hit Blocks": number
  readonly "Shared Read Blocks": number
  readonly "Actual Total Time": number
  readonly Plans?: ReadonlyArray<Plan>
}

interface ExplainedRow {
  readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: Plan }>
}

/** The cost of a part of the database's work: blocks of tables and indexes, and milliseconds inside of the database. */
export interface Cost {
  readonly blocks: number
  readonly millis: number
}

const costOf = (plan: Plan): Cost => ({
  blocks: plan["Shared Hit Blocks"] + plan["Shared Read Blocks"],
  millis: plan["Actual Total Time"]
})

/** The aggregates of a plan, at any depth. */
const aggregatesOf = (plan: Plan): ReadonlyArray<Plan> =>
  plan["Node Type"] === "Aggregate" ? [plan] : (plan.Plans ?? []).flatMap(aggregatesOf)

const sumOf = (costs: ReadonlyArray<Cost>): Cost => ({
  blocks: costs.reduce((sum, { blocks }) => sum + blocks, 0),
  millis: costs.reduce((sum, { millis }) => sum + millis, 0)
})

const stores = Layer.merge(PgActivityFeed.layer, PgNotificationFeed.layer)

/**
 * Runs a reading, explains each of its statements, which runs it once more, and answers the cost. `counting` is the part of it for the
 * exact number of unread notices.
 */
export const costsOf = <A>(reading: Effect.Effect<A, never, Layer.Success<typeof stores>>) =>
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
    const plans: Array<Plan> = []
    for (const [text, parameters] of whole) {
      const rows = yield* sql.unsafe<ExplainedRow>(`explain (analyze, buffers, format json) ${text}`, parameters)
      plans.push(...rows.flatMap((row) => row["QUERY PLAN"].map(({ Plan }) => Plan)))
    }
    // The statements of these readings aggregate only for the number of unread notices.
    return { whole: sumOf(plans.map(costOf)), counting: sumOf(plans.flatMap(aggregatesOf).map(costOf)) }
  })
