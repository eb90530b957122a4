/** No row can refer to another tenant's: the database refuses it, even if the code above is wrong. */
import { assert, layer as suite } from "@effect/vitest"
import { Effect } from "effect"
import { hasProperty } from "effect/Predicate"
import { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { databaseLayer } from "./support/database.ts"
import { storeTenantRows, type TenantIds } from "./support/tenantRows.ts"

const HOT =
  "written for every event of a run; a key would cost 8.5 µs a row, and rows are made from their endpoint's and event's"

const SUMMED = "written from rows of the ledger and of runs, together with the workspace that they have"

const OF_CALL =
  "written for every model call, from the run as it was claimed; its rows in workspace_spend and run_spend have the boundaries"

const KEPT = "stays when what it names is gone"

/**
 * Every column of every table that could refer to a row of a tenant, with the kind of row; or, where nothing enforces that, why
 * not. A column that is not named here fails the test.
 */
const COLUMNS: Readonly<Record<string, keyof TenantIds | { readonly because: string }>> = {
  "api_key.bound_id": { because: "a maker is looked for in the key's organization, and a key without one is refused" },
  "api_key.reads_id": { because: "a run or session is looked for in the key's workspace" },
  "activity.organization_id": "organization",
  "activity.actor_id": { because: KEPT },
  "activity.owner_id": { because: "made by the database, of the two beside it" },
  "activity.resource_id": { because: KEPT },
  "activity.workspace_id": "workspace",
  "agent.organization_id": "organization",
  "agent.workspace_id": "workspace",
  "agent_version.agent_id": "agent",
  "agent_version.organization_id": "organization",
  "agent_version.workspace_id": "workspace",
  "agent_webhook.agent_id": "agent",
  "agent_webhook.organization_id": "organization",
  "agent_webhook.workspace_id": "workspace",
  "api_key.organization_id": "organization",
  "api_key.replaced_by": "successor",
  "api_key.workspace_id": "workspace",
  "api_key_rate.key_id": "key",
  "api_key_rate.organization_id": "organization",
  "billing_day.organization_id": "organization",
  "billing_day.workspace_id": "workspace",
  "billing_month.organization_id": "organization",
  "billing_month.workspace_id": "workspace",
  "call_reservation.agent_id": { because: OF_CALL },
  "call_reservation.key_id": { because: OF_CALL },
  "call_reservation.organization_id": { because: OF_CALL },
  "call_reservation.run_id": { because: OF_CALL },
  "call_reservation.session_id": { because: OF_CALL },
  "call_reservation.workspace_id": { because: OF_CALL },
  "compressed_log.run_id": "run",
  "compressed_log.workspace_id": "workspace",
  "erasure.organization_id": { because: KEPT },
  "erasure.subject_id": { because: KEPT },
  "erasure.workspace_id": { because: KEPT },
  "event.organization_id": { because: HOT },
  "event.run_id": { because: HOT },
  "event.workspace_id": { because: HOT },
  "event_outbox.event_id": { because: HOT },
  "event_outbox.taken_by": { because: "the token of a take, which names nothing" },
  "login_attempt.asked_organization_id": { because: "what somebody unknown asked for; it need not exist" },
  "login_session.member_id": "member",
  "login_session.organization_id": "organization",
  "member.invited_by_key": "key",
  "member.organization_id": "organization",
  "member.user_id": { because: "a person belongs to no tenant" },
  "member_workspace.member_id": "member",
  "member_workspace.organization_id": "organization",
  "member_workspace.workspace_id": "workspace",
  "model_call.agent_id": { because: OF_CALL },
  "model_call.key_id": { because: OF_CALL },
  "model_call.organization_id": { because: OF_CALL },
  "model_call.run_id": { because: OF_CALL },
  "model_call.session_id": { because: OF_CALL },
  "model_call.workspace_id": { because: OF_CALL },
  "notification.organization_id": "organization",
  "notification.owner_id": { because: "made by the database, of the two beside it" },
  "notification.workspace_id": "workspace",
  "notification.about": { because: "an agent or a run of the workspace; compared within its own notices alone" },
  "notification_closing.about": { because: "compared within the workspace's own notices alone" },
  "notification_closing.organization_id": "organization",
  "notification_closing.workspace_id": "workspace",
  "notification_read.notification_id": {
    because: "marked by a statement that finds the notice in the workspace's own feed"
  },
  "notification_read.organization_id": "organization",
  "notification_read.workspace_id": "workspace",
  "notification_reader.organization_id": "organization",
  "notification_reader.workspace_id": "workspace",
  "notification_tally.organization_id": "organization",
  "notification_tally.workspace_id": "workspace",
  "latency_roll_up.agent_id": { because: SUMMED },
  "latency_roll_up.organization_id": "organization",
  "latency_roll_up.workspace_id": "workspace",
  "outcome_roll_up.agent_id": { because: SUMMED },
  "outcome_roll_up.organization_id": "organization",
  "outcome_roll_up.workspace_id": "workspace",
  "price_override.organization_id": "organization",
  "price_override.workspace_id": "workspace",
  "provider_key.organization_id": "organization",
  "provider_key.workspace_id": "workspace",
  "run.agent_id": "agent",
  "run.claim_token": { because: "names no row" },
  "run.organization_id": "organization",
  "run.resumed_by_run_id": "run",
  "run.resumes_run_id": "run",
  "run.session_id": "session",
  "run.workspace_id": "workspace",
  "run_content.organization_id": "organization",
  "run_content.run_id": "run",
  "run_content.workspace_id": "workspace",
  "run_checkpoint.organization_id": "organization",
  "run_checkpoint.run_id": "run",
  "run_checkpoint.session_id": "session",
  "run_checkpoint.workspace_id": "workspace",
  "run_event.run_id": "run",
  "run_event.session_id": "session",
  "run_event.workspace_id": "workspace",
  "run_spend.run_id": "run",
  "run_spend.workspace_id": "workspace",
  "schedule.agent_id": "agent",
  "schedule.last_run_id": { because: KEPT },
  "schedule.organization_id": "organization",
  "schedule.workspace_id": "workspace",
  "session.organization_id": "organization",
  "session.workspace_id": "workspace",
  "template.organization_id": "organization",
  "template_member.organization_id": "organization",
  "template_member.resource_id": { because: "found by the workspace, in its own rows of the template's kind" },
  "template_member.template_id": "template",
  "template_member.workspace_id": "workspace",
  "template.spread_after": {
    because: "a place in the order of the organization's workspaces; it need not exist any more"
  },
  "tool_secret.organization_id": "organization",
  "tool_secret.workspace_id": "workspace",
  "usage_correction.agent_id": { because: SUMMED },
  "usage_correction.call_id": { because: "names a row of the ledger, whose old months may be put elsewhere" },
  "usage_correction.organization_id": "organization",
  "usage_correction.run_id": { because: OF_CALL },
  "usage_correction.workspace_id": "workspace",
  "usage_roll_up.agent_id": { because: SUMMED },
  "usage_roll_up.organization_id": "organization",
  "usage_roll_up.workspace_id": "workspace",
  "webhook_attempt.endpoint_id": { because: HOT },
  "webhook_attempt.event_id": { because: HOT },
  "webhook_attempt.organization_id": { because: HOT },
  "webhook_delivery.claim_token": { because: "names no row" },
  "webhook_delivery.endpoint_id": { because: HOT },
  "webhook_delivery.event_id": { because: HOT },
  "webhook_delivery.organization_id": { because: HOT },
  "webhook_endpoint.organization_id": "organization",
  "webhook_replay.endpoint_id": "endpoint",
  "webhook_replay.organization_id": "organization",
  "webhook_replay.position": {
    because: "how far it has come in the order of ids; an event of that id need not be there"
  },
  "workspace.organization_id": "organization",
  "workspace_rate.organization_id": "organization",
  "workspace_rate.workspace_id": "workspace",
  "workspace_spend.near_by": { because: "the call that a notice was due to, once it is past; it names no row" },
  "workspace_spend.organization_id": "organization",
  "workspace_spend.reached_by": { because: "the call that an event was due to, once it is past; it names no row" },
  "workspace_spend.workspace_id": "workspace"
}

const FOREIGN_KEY_VIOLATION = "23503"

const refusal = <A, R>(effect: Effect.Effect<A, SqlError, R>) =>
  effect.pipe(
    Effect.as("accepted"),
    Effect.catch((error) =>
      Effect.succeed(hasProperty(error.reason.cause, "code") ? String(error.reason.cause.code) : error.message)
    )
  )

suite(databaseLayer, { excludeTestServices: true })("the boundary between tenants in the database", (it) => {
  it.effect("is considered for every column that could refer to a row", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const found = yield* sql<{ readonly table: string; readonly column: string; readonly type: string }>`
        select table_name as "table", column_name as "column", data_type as "type"
        from information_schema.columns join information_schema.tables using (table_schema, table_name)
        where table_schema = 'agent_platform' and table_type = 'BASE TABLE'
          and not (select relispartition from pg_class where oid = format('agent_platform.%I', table_name)::regclass)
      `
      const names = (rows: typeof found) => rows.map(({ column, table }) => `${table}.${column}`)
      const references = found.filter(({ column, type }) => type === "uuid" && column !== "id")
      assert.sameMembers(names(references), Object.keys(COLUMNS))
    })
  )

  for (const [name, kind] of Object.entries(COLUMNS)) {
    if (typeof kind === "object") continue
    const [table = "", column = ""] = name.split(".")

    it.effect(`keeps ${name} from naming another tenant's ${kind}`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [mine, foreign] = [yield* storeTenantRows, yield* storeTenantRows]
        const scope = ["compressed_log", "run_event", "run_spend"].includes(table)
          ? sql`workspace_id = ${mine.workspace}`
          : sql`organization_id = ${mine.organization}`
        const rows = yield* sql`select 1 from ${sql(table)} where ${scope}`
        assert.isAbove(rows.length, 0, "there is a row to write")
        // An agent has one inbound URL, and a workspace one tally: the other's own is out of the way, so that the boundary
        // alone can refuse.
        yield* sql`delete from agent_webhook where workspace_id = ${foreign.workspace}`
        yield* sql`delete from notification_tally where workspace_id = ${foreign.workspace}`
        const write = sql`update ${sql(table)} set ${sql(column)} = ${foreign[kind]} where ${scope}`
        assert.strictEqual(yield* refusal(write), FOREIGN_KEY_VIOLATION)
      })
    )
  }

  // Both the endpoint and its replay refuse to be moved, so a new endpoint shows which boundary is its own.
  it.effect("keeps a new endpoint from belonging to an organization that is not there", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const mine = yield* storeTenantRows
      const insert = (organization: string) => sql`
        insert into webhook_endpoint (organization_id, id, url, event_types, status, sealed_secret, created_at)
        values (${organization}, gen_random_uuid(), '', '{}', 'active', '', now())
      `
      assert.strictEqual(yield* refusal(insert(mine.workspace)), FOREIGN_KEY_VIOLATION)
      assert.strictEqual(yield* refusal(insert(mine.organization)), "accepted")
    })
  )

  // Its boundary is no foreign key, and an insertion passes another trigger than a change.
  it.effect("keeps a new entry of a log from naming another tenant's run, and one that is not there", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [mine, foreign] = [yield* storeTenantRows, yield* storeTenantRows]
      const insert = (run: string, session: string) => sql`
        insert into run_event (workspace_id, run_id, session_id, seq, type, created_at, attempt, data)
        select ${mine.workspace}::uuid, named.run_id, named.session_id, 2, 'log', now(), 1, '{}'
        from (values (${mine.followUp}::uuid, ${mine.session}::uuid), (${run}::uuid, ${session}::uuid))
          as named (run_id, session_id)
      `
      assert.strictEqual(yield* refusal(insert(foreign.run, foreign.session)), FOREIGN_KEY_VIOLATION)
      assert.strictEqual(yield* refusal(insert(foreign.run, mine.session)), FOREIGN_KEY_VIOLATION)
      assert.strictEqual(yield* refusal(insert(mine.entry, mine.session)), FOREIGN_KEY_VIOLATION)
      assert.strictEqual(yield* refusal(insert(mine.run, mine.session)), "accepted")
    })
  )
})
