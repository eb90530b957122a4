/** The feeds are read by their indexes alone, on tables with many rows of every kind. */
import { ActivityFeed, NotificationFeed, ownersOf } from "@agent-platform/feeds"
import { ActivityId, OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { PgActivityFeed, PgNotificationFeed } from "@agent-platform/postgres"
import { assert, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { analyze, databaseLayer } from "./support/database.ts"

interface PlanRow {
  readonly "QUERY PLAN": string
}

interface PreparedRow {
  readonly name: string
  readonly parameters: number
  readonly generic_plans: bigint
}

/** Resources with even numbers have UUIDs, the others a word. */
const ID_BEGINNING = "00000000-0000-7000-8000-"

/** 30,000 entries and notices of twenty workspaces and their organizations; answers one of them. */
const filled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into organization (id, name, created_at) select gen_random_uuid(), 'Acme', now() from generate_series(1, 10)
  `
  yield* sql`
    insert into workspace (organization_id, id, name, timezone, created_at)
    select id, gen_random_uuid(), 'Main', 'UTC', now() from organization, generate_series(1, 2)
  `
  yield* sql`
    insert into activity (organization_id, workspace_id, id, action, actor_type, actor_word, actor_label, summary,
      resource_type, resource_id, resource_word, payload, created_at)
    select organization_id, case when n % 5 > 0 then workspace.id end, gen_random_uuid(), '',
      (array['user', 'agent', 'system'])[1 + n % 3], '', '', '', case when n % 100 = 0 then 'member' else 'run' end,
      case when n % 2 = 0 then (${ID_BEGINNING} || lpad((n % 300)::text, 12, '0'))::uuid end,
      case when n % 2 = 1 then (n % 300)::text end, '{}', now() - n * interval '1 minute'
    from workspace, generate_series(1, 1500) as n
  `
  yield* sql`
    insert into notification (organization_id, workspace_id, id, type, title, body, payload, created_at, number)
    select organization_id, case when n % 5 > 0 then workspace.id end, gen_random_uuid(), 'run.failed', '', '', '{}',
      now() - n * interval '1 minute', case when n > 20 then 2000 - n end
    from workspace, generate_series(1, 1500) as n
  `
  yield* analyze
  const [one] = yield* sql<{ readonly organization_id: string; readonly id: string }>`
    select organization_id, id from workspace limit 1
  `
  return {
    organizationId: OrganizationId.make(one?.organization_id ?? ""),
    workspaceId: WorkspaceId.make(one?.id ?? "")
  }
})

/** Does something with a store and answers the plans of its statements, of which some are parts of others. */
const planned = <Store, A>(
  store: Layer.Layer<Store, never, SqlClient.SqlClient>,
  act: Effect.Effect<A, never, Store>
) =>
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
    const answer = yield* act.pipe(
      Effect.provide(store),
      Effect.provideService(SqlClient.SqlClient, recording as SqlClient.SqlClient)
    )
    const whole = made
      .flatMap((one) => ("compile" in one ? [one.compile()] : []))
      .filter(([text]) => /^\s*(select|with)\b/.test(text))
    const plans = yield* Effect.forEach(whole, ([text, parameters]) =>
      sql.unsafe<PlanRow>(`explain ${text}`, parameters)
    )
    return { answer, plan: plans.map((rows) => rows.map((row) => row["QUERY PLAN"]).join("\n")).join("\n") }
  })

suite(databaseLayer, { excludeTestServices: true })("with many rows", (it) => {
  it.effect("the feeds walk along the index of what is asked, in its order", () =>
    Effect.gen(function* () {
      const workspace = yield* filled
      const since = DateTime.subtract(yield* DateTime.now, { hours: 12 })
      for (const resourceType of [undefined, "member"]) {
        for (const actorType of [undefined, "agent" as const]) {
          for (const filter of [
            { resourceType, actorType },
            { resourceType, actorType, since }
          ]) {
            const { answer, plan } = yield* planned(
              PgActivityFeed.layer,
              ActivityFeed.use((feed) =>
                feed.list({ ...workspace, includesOrganization: true }, filter, { limit: 20, before: undefined })
              )
            )
            assert.isNotEmpty(answer.items)
            // No entries are sorted but those of one moment.
            assert.notMatch(plan, /(?<!Incremental )Sort {2}\([^\n]*\n[^\n]*\n *-> {2}[^\n]*Scan (?:using|on) activity/)
            assert.include(plan, "Index Only Scan using activity_of_kind", JSON.stringify(filter))
            assert.include(plan, "Index Scan using activity_of_kind", JSON.stringify(filter))
            assert.include(plan, "Index Only Scan using activity_of_organization", JSON.stringify(filter))
            assert.include(plan, "Index Scan using activity_of_organization", JSON.stringify(filter))
            assert.notInclude(plan, "Seq Scan on activity")
          }
        }
      }

      const resources = ["7", `${ID_BEGINNING}${"12".padStart(12, "0")}`]
      const aboutOne = resources.flatMap((resourceId) => [
        { resourceId },
        { resourceId, actorType: resourceId === "7" ? ("agent" as const) : ("user" as const), since }
      ])
      for (const filter of aboutOne) {
        const { answer, plan } = yield* planned(
          PgActivityFeed.layer,
          ActivityFeed.use((feed) =>
            feed.list({ ...workspace, includesOrganization: true }, filter, { limit: 20, before: undefined })
          )
        )
        assert.isNotEmpty(answer.items)
        assert.match(plan, /Index Scan (?:using|on) activity_about/, JSON.stringify(filter))
        assert.notMatch(plan, /activity_of_(?:kind|organization)/, JSON.stringify(filter))
      }

      const reading = yield* planned(
        PgNotificationFeed.layer,
        NotificationFeed.use((feed) => feed.read(workspace))
      )
      assert.strictEqual(reading.answer.items.length, 50)
      assert.include(reading.plan, "notification_filed")
      assert.include(reading.plan, "notification_unfiled")
      assert.notInclude(reading.plan, "Seq Scan on notification ")

      const range = { workspace, after: { own: 900, shared: 900 }, upTo: undefined }
      const part = yield* planned(
        PgNotificationFeed.layer,
        NotificationFeed.use((feed) => feed.since([range], 20))
      )
      assert.isTrue(part.answer[0]?.more)
      assert.notInclude(part.plan, "Seq Scan on notification ")

      const waiting = yield* planned(
        PgNotificationFeed.layer,
        NotificationFeed.use((feed) => feed.unfiled(9, ownersOf(workspace)))
      )
      assert.strictEqual(waiting.answer.length, 2)
      assert.include(waiting.plan, "notification_unfiled")
      assert.notInclude(waiting.plan, "Seq Scan on notification ")
    })
  )

  it.effect("pages of activity are not planned anew each time, and the plan that is kept walks along the index", () =>
    Effect.gen(function* () {
      const workspace = yield* filled
      const sql = yield* SqlClient.SqlClient
      const feed = yield* ActivityFeed
      const now = yield* DateTime.now
      const pages = [undefined, "member"].flatMap((resourceType) =>
        [undefined, "agent" as const].flatMap((actorType) =>
          [undefined, DateTime.subtract(now, { hours: 20 })].flatMap((since) =>
            [undefined, { createdAt: DateTime.subtract(now, { hours: 1 }), id: anId(ActivityId) }].map((before) =>
              feed.list(
                { ...workspace, includesOrganization: false },
                { resourceType, actorType, since },
                { limit: 50, before }
              )
            )
          )
        )
      )
      const kept = yield* Effect.gen(function* () {
        for (const page of pages) yield* Effect.repeat(page, { times: 7 })
        const statements = yield* sql<PreparedRow>`
          select name, cardinality(parameter_types) as parameters, generic_plans
          from pg_prepared_statements where statement ~ 'from agent_platform.activity where' and generic_plans + custom_plans >= 8
        `
        yield* sql`set local plan_cache_mode = force_generic_plan`
        return yield* Effect.forEach(statements, ({ generic_plans, name, parameters }) =>
          sql
            .unsafe<PlanRow>(
              `explain execute "${name}" (${Array.from({ length: parameters }, () => "null").join(", ")})`
            )
            .pipe(
              Effect.map((rows) => ({
                reused: generic_plans > 0,
                plan: rows.map((row) => row["QUERY PLAN"]).join("\n")
              }))
            )
        )
      }).pipe(sql.withTransaction)
      assert.isNotEmpty(kept)
      for (const { plan, reused } of kept) {
        assert.isTrue(reused, plan)
        assert.match(plan, /Index Scan using activity_of_kind/)
        assert.notMatch(plan, /Bitmap|Seq Scan on activity/)
      }
    }).pipe(Effect.provide(PgActivityFeed.layer))
  )
})
