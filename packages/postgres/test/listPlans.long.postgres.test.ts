/** Lists of runs walk along an index in their own order, on a table with many runs of every kind. */
import { UnitOfWork } from "@agent-platform/kernel"
import { anId, aTenant } from "@agent-platform/kernel/testing"
import {
  PgAgentStore,
  PgRunAcceptance,
  PgRunQueue,
  PgRunReader,
  PgSessionRuns,
  PgSessionStore,
  PgUnitOfWork
} from "@agent-platform/postgres"
import {
  AgentStore,
  type BeginningFilter,
  type RunFilter,
  RunId,
  RunReader,
  SessionRuns,
  SessionStore
} from "@agent-platform/runs"
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

/**
 * 10,000 runs of one workspace, a second apart: every hundredth failed or asks, every thousandth has a tag. Every tenth is the first of
 * its session.
 */
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
    with begun as materialized (
      select n, gen_random_uuid() as id from generate_series(1, 10000) as n
    ), sessions as (
      insert into session (organization_id, workspace_id, id, created_at, last_position)
      select ${agent.organizationId}::uuid, ${agent.workspaceId}::uuid, id, now(), 1 from begun where n % 10 = 0
    )
    insert into run
    select made.* from run as first, begun, jsonb_populate_record(
      null::run,
      to_jsonb(first) || jsonb_build_object(
        'id', gen_random_uuid(), 'position', case when n % 10 = 0 then 1 else n + 1 end,
        'session_id', case when n % 10 = 0 then begun.id else first.session_id end, 'paused', n % 100 = 50,
        'created_at', first.created_at - n * interval '1 second',
        'status', case when n % 100 = 0 then 'failed' else 'succeeded' end,
        'tags', case when n % 1000 = 0 then '["rare"]'::jsonb end
      )
    ) as made
    where first.id = ${run.id}
  `
  yield* analyze
  return { agent, session }
})

/** Does something with a store and answers what came of it beside the plan of its statement, which is put together out of others. */
const explainedSelect = Effect.fnUntraced(function* <Store, A>(
  store: Layer.Layer<Store, never, SqlClient.SqlClient>,
  act: Effect.Effect<A, never, Store>
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
  const recorded = Layer.fresh(store).pipe(Layer.provide(Layer.succeed(SqlClient.SqlClient, recording)))
  const answer = yield* Effect.provide(act, recorded)
  const [text, parameters] = made.map((statement) => statement.compile()).findLast(([sent]) => /^\s*select/.test(sent))!
  const rows = yield* sql.unsafe<{ readonly "QUERY PLAN": string }>(`explain ${text}`, parameters)
  return { answer, plan: rows.map((row) => row["QUERY PLAN"]).join("\n") }
})

/** A walk along the first runs of sessions, and one along those that follow them. The workspace has one agent. */
const WALKS = /Index Scan using run_(?:in_order|of_agent) [\s\S]*Index Scan using run_(?:in_order|of_agent) /

suite(Layer.provideMerge(stores, databaseLayer), { excludeTestServices: true })("with many runs", (it) => {
  it.effect("a page is read by the index of its filter, without sorting the rest", () =>
    Effect.gen(function* () {
      const { agent, session } = yield* manyRuns
      const cases: ReadonlyArray<readonly [RunFilter, RegExp]> = [
        [{}, WALKS],
        [{ agentId: agent.id }, WALKS],
        [{ sessionId: session.id }, /Index Scan using run_of_session/],
        [{ status: "failed" }, /Index Scan using run_unhappy/],
        [{ isWaiting: true }, /Index Scan using run_waiting/],
        [{ tag: "rare" }, /run_tags/],
        [{ since: DateTime.subtract(BUILT_AT, { hours: 1 }) }, WALKS]
      ]
      for (const [filter, index] of cases) {
        const before = { createdAt: DateTime.subtract(BUILT_AT, { minutes: 5 }), id: aRun(agent, session).id }
        const { answer, plan } = yield* explainedSelect(
          PgRunReader.layer,
          RunReader.use((runs) => runs.list(agent.workspaceId, filter, { limit: 20, before }))
        )
        assert.isNotEmpty(answer.items)
        assert.match(plan, index, `${JSON.stringify(filter)}\n${plan}`)
        assert.notInclude(plan, "Seq Scan on run", JSON.stringify(filter))
        const opened = yield* explainedSelect(
          PgRunReader.layer,
          RunReader.use((runs) => runs.openings(agent.workspaceId, filter, { limit: 250, before }))
        )
        assert.isNotEmpty(opened.answer.items)
        assert.match(opened.plan, index, `${JSON.stringify(filter)}\n${opened.plan}`)
        assert.notInclude(opened.plan, "Seq Scan on run", JSON.stringify(filter))
      }
    })
  )

  it.effect(
    "a page of sessions is read by the index of those that begin one, and how they stand by their own runs",
    () =>
      Effect.gen(function* () {
        const { agent } = yield* manyRuns
        const filters: ReadonlyArray<readonly [BeginningFilter, RegExp]> = [
          [{}, /Index Scan using run_(in_order|of_agent) /],
          [{ agentId: agent.id }, /Index Scan using run_(in_order|of_agent) /],
          [{ until: BUILT_AT }, /Index Scan using run_(in_order|of_agent) /]
        ]
        for (const [filter, index] of filters) {
          const before = { createdAt: DateTime.subtract(BUILT_AT, { minutes: 5 }), id: anId(RunId) }
          const { answer, plan } = yield* explainedSelect(
            PgSessionStore.layer,
            SessionStore.use((sessions) => sessions.beginnings(agent.workspaceId, filter, { limit: 250, before }))
          )
          assert.strictEqual(answer.items.length, 250)
          assert.match(plan, index, JSON.stringify(filter))
          // Only those of one millisecond are sorted.
          assert.notMatch(plan, /(?<!Incremental )\bSort {2}\(/, plan)
          const { answer: standings, plan: each } = yield* explainedSelect(
            PgSessionRuns.layer,
            SessionRuns.use((runs) => runs.standings(answer.items.map(({ sessionId }) => sessionId)))
          )
          assert.strictEqual(standings.size, 250)
          for (const used of ["run_unfinished", "run_position", "run_open_question"]) assert.include(each, used)
          assert.notInclude(each, "Seq Scan on run")
        }
      })
  )
})
