/** Lists of runs walk along an index in their own order, on a table with many runs of every kind. */
import { UnitOfWork } from "@agent-platform/kernel"
import { aTenant } from "@agent-platform/kernel/testing"
import {
  PgAgentStore,
  PgRunAcceptance,
  PgRunQueue,
  PgRunReader,
  PgSessionStore,
  PgUnitOfWork
} from "@agent-platform/postgres"
import { AgentStore, type RunFilter, RunReader } from "@agent-platform/runs"
import { addRuns, anAgent, aRun, aSession, BUILT_AT } from "@agent-platform/runs/testing"
import { assert, layer as suite } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { analyze, databaseLayer } from "./support/database.ts"
import { layerTenants } from "./support/tenants.ts"

const stores = Layer.mergeAll(
  PgAgentStore.layer,
  PgSessionStore.layer,
  PgRunAcceptance.layer,
  PgRunQueue.layer,
  PgRunReader.layer,
  PgUnitOfWork.layer,
  layerTenants
)

/** 10,000 runs of one workspace, a second apart: every hundredth failed, every thousandth has a tag. */
const manyRuns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const unit = yield* UnitOfWork
  const agent = anAgent(yield* aTenant())
  const session = aSession(agent)
  const run = aRun(agent, session, { status: "succeeded", finishedAt: BUILT_AT, tags: [] })
  yield* unit.atomic(
    Effect.gen(function* () {
      yield* AgentStore.use((agents) => agents.insert(agent))
      yield* addRuns(run)
    })
  )
  yield* sql`
    insert into run
    select made.* from run as first, generate_series(1, 10000) as n, jsonb_populate_record(
      null::run,
      to_jsonb(first) || jsonb_build_object(
        'id', gen_random_uuid(), 'position', n + 1,
        'created_at', first.created_at - n * interval '1 second',
        'status', case when n % 100 = 0 then 'failed' else 'succeeded' end,
        'tags', case when n % 1000 = 0 then '["rare"]'::jsonb else '[]'::jsonb end
      )
    ) as made
    where first.id = ${run.id}
  `
  yield* analyze
  return { agent, session }
})

/** Reads a page and answers it beside the plan of its statement, which is put together out of others. */
const explainedList = Effect.fnUntraced(function* (
  ...[workspaceId, filter, page]: Parameters<RunReader["Service"]["list"]>
) {
  const sql = yield* SqlClient.SqlClient
  const made: Array<Statement.Statement<object>> = []
  const recording = new Proxy(sql, {
    apply: (target, self, args) => {
      const statement = Reflect.apply(target, self, args)
      made.push(statement)
      return statement
    }
  })
  const store = Layer.fresh(PgRunReader.layer).pipe(Layer.provide(Layer.succeed(SqlClient.SqlClient, recording)))
  const { items } = yield* Effect.provide(
    RunReader.use((runs) => runs.list(workspaceId, filter, page)),
    store
  )
  const [text, parameters] = made.map((statement) => statement.compile()).find(([sent]) => /^\s*select/.test(sent))!
  const rows = yield* sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain ${text}`, parameters)
  return { items, plan: rows.map((row) => row["QUERY PLAN"]).join("\n") }
})

suite(Layer.provideMerge(stores, databaseLayer), { excludeTestServices: true })("with many runs", (it) => {
  it.effect("a page is read by the index of its filter, without sorting the rest", () =>
    Effect.gen(function* () {
      const { agent, session } = yield* manyRuns
      const cases: ReadonlyArray<readonly [RunFilter, RegExp]> = [
        [{}, /Index Scan using run_(recent|of_agent|of_session)/],
        [{ agentId: agent.id }, /Index Scan using run_(of_agent|recent|of_session)/],
        [{ sessionId: session.id }, /Index Scan using run_(of_session|of_agent|recent)/],
        [{ status: "failed" }, /Index Scan using run_unhappy/],
        [{ tag: "rare" }, /run_tags/],
        [{ since: DateTime.subtract(BUILT_AT, { hours: 1 }) }, /Index Scan using run_(recent|of_agent|of_session)/]
      ]
      for (const [filter, index] of cases) {
        const before = { createdAt: DateTime.subtract(BUILT_AT, { minutes: 5 }), id: aRun(agent, session).id }
        const { items, plan } = yield* explainedList(agent.workspaceId, filter, { limit: 20, before })
        assert.isNotEmpty(items)
        assert.match(plan, index, JSON.stringify(filter))
        assert.notInclude(plan, "Seq Scan on run", JSON.stringify(filter))
      }
    })
  )
})
