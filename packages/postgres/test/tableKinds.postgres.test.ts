/** Whose rows each table holds, and that its keys and references say so: a new table is nobody's until it stands here. */
import { assert, layer as suite } from "@effect/vitest"
import { Effect } from "effect"
import { asOwner, databaseLayer } from "./support/database.ts"
import { type SurveyedTable, surveyTables } from "./support/tableSurvey.ts"

/** Every row has a tenant: an organization or a workspace, which are never null. */
interface TenantTable {
  readonly kind: "tenant"
  /** The unique keys that begin with no tenant, and why. */
  readonly beside: Readonly<Record<string, string>>
}

/** Rows of all tenants together; or those by which the deployment works, which are a tenant's only by what they name. */
interface OtherTable {
  readonly kind: "shared" | "operational"
  readonly because: string
}

const tenant = (beside: TenantTable["beside"] = {}): TenantTable => ({ kind: "tenant", beside })
const shared = (because: string): OtherTable => ({ kind: "shared", because })
const operational = (because: string): OtherTable => ({ kind: "operational", because })

const IN_ITS_ORDER = "rows come in the order of this key, so that its index grows at its end, and go in it"

const TABLES: Readonly<Record<string, TenantTable | OtherTable>> = {
  activity: tenant({ id: IN_ITS_ORDER }),
  agent: tenant(),
  agent_version: tenant(),
  agent_webhook: tenant({ agent_id: "the URL of a sender names the agent alone" }),
  api_key: tenant({ hash: "a caller has nothing but the key" }),
  api_key_rate: tenant(),
  app_user: shared("a person may be a member of several organizations"),
  billing_day: tenant(),
  billing_month: tenant(),
  call_reservation: tenant(),
  compressed_log: tenant({ "run_id, first_seq": "the log of a run, which is of one workspace" }),
  erasure: tenant(),
  event: tenant({ id: IN_ITS_ORDER }),
  event_outbox: operational("names an event, which has a tenant"),
  fingerprint_key: shared("one row: makes the fingerprints of every tenant"),
  idempotency_key: operational("its scope is the tenant: it leads the primary key as text"),
  job_run: operational("what the deployment does by the clock belongs to no tenant"),
  latency_roll_up: tenant(),
  login_attempt: operational("written for people who are not known yet"),
  login_session: tenant({
    hash: "a browser has nothing but its cookie",
    id: "a person ends sessions in any of their organizations"
  }),
  member: tenant(),
  member_workspace: tenant(),
  model_call: tenant(),
  notification: tenant({ id: IN_ITS_ORDER }),
  notification_closing: tenant(),
  notification_read: tenant({ "notification_id, workspace_id": "marks are looked for by their notice" }),
  notification_reader: tenant(),
  notification_tally: tenant(),
  organization: shared("the tenant itself"),
  outcome_roll_up: tenant(),
  platform_migration: operational("of the schema"),
  price_override: shared("of one workspace, or of the whole deployment"),
  provider_key: tenant({ id: "the job that checks keys goes through those of all workspaces" }),
  record_key: shared("signs the records of every tenant: it is the deployment's"),
  roll_up_state: operational("one row: how far the roll-ups of every tenant have come"),
  run: tenant({
    "id, workspace_id": IN_ITS_ORDER,
    'session_id, "position"': "the line of a session, which is of one workspace"
  }),
  run_checkpoint: tenant(),
  run_content: tenant(),
  run_event: tenant({ "run_id, seq": "the log of a run, which is of one workspace" }),
  run_spend: tenant(),
  schedule: tenant(),
  session: tenant({ "id, workspace_id": IN_ITS_ORDER }),
  template: tenant({ id: "the job that seals secrets again goes through those of all organizations" }),
  template_member: tenant(),
  tool_secret: tenant({ id: "the job that seals secrets again goes through those of all workspaces" }),
  usage_correction: tenant(),
  usage_roll_up: tenant(),
  webhook_attempt: tenant({ "endpoint_id, event_id, number": "of a delivery" }),
  webhook_delivery: tenant({
    "endpoint_id, event_id": "of an endpoint, which is of one organization, in the order of events"
  }),
  webhook_endpoint: tenant(),
  webhook_replay: tenant(),
  workspace: tenant({
    id: "keys of other tables begin with the workspace alone, so two organizations may not have the same"
  }),
  workspace_rate: tenant(),
  workspace_spend: tenant()
}

/** References from one tenant's table to another's that do not compare the tenant, and what does. */
const WITHOUT_TENANT: Readonly<Record<string, string>> = {
  "notification_read: notification_id = id":
    "a mark is written by a statement that finds the notice in the workspace's own feed"
}

const LEADS = /^(?:organization_id|workspace_id|COALESCE\(workspace_id, organization_id\))(?:,|$)/
const COMPARES = /^(?:organization_id|workspace_id) = (?:organization_id|workspace_id|id)$/

const isTenant = (name: string) => TABLES[name]?.kind === "tenant"

/** How tables differ from what is said of them above. */
const differences = (tables: ReadonlyArray<SurveyedTable>): ReadonlyArray<string> => {
  const found = new Set(tables.map(({ name }) => name))
  const gone = Object.keys(TABLES).flatMap((name) => (found.has(name) ? [] : [`${name} is not there`]))
  const references: Array<string> = []
  const wrong = tables.flatMap(({ keys, mayHaveTenant, name, references: own, tenant: columns }) => {
    const kind = TABLES[name]
    if (kind === undefined) return [`${name} holds nobody's rows: say whose in TABLES`]
    if (kind.kind !== "tenant")
      return columns.length > 0 ? [`${name} names a tenant in every row, and is ${kind.kind}`] : []
    if (columns.length === 0) return [`${name} ${mayHaveTenant ? "has rows without a tenant" : "names no tenant"}`]
    references.push(
      ...own.flatMap(({ pairs, to }) =>
        isTenant(to) && !pairs.some((pair) => COMPARES.test(pair)) ? [`${name}: ${pairs.join(", ")}`] : []
      )
    )
    const beside = keys.filter((key) => !LEADS.test(key))
    return [
      ...beside.flatMap((key) => (key in kind.beside ? [] : [`${name} has a key that begins with no tenant: ${key}`])),
      ...Object.keys(kind.beside).flatMap((key) => (beside.includes(key) ? [] : [`${name} has no such key: ${key}`]))
    ]
  })
  const unequal = [
    ...references.flatMap((one) =>
      one in WITHOUT_TENANT ? [] : [`${one} refers to a row without comparing its tenant`]
    ),
    ...Object.keys(WITHOUT_TENANT).flatMap((one) => (references.includes(one) ? [] : [`${one} is no such reference`]))
  ]
  return [...gone, ...wrong, ...unequal]
}

suite(databaseLayer)("a table", (it) => {
  it.effect(
    "is a tenant's, shared or operational, and one of a tenant has its tenant in every row, key and reference",
    () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(differences(yield* surveyTables), [])
      })
  )

  it.effect("is found where it breaks one of these rules", () =>
    Effect.gen(function* () {
      yield* asOwner((sql) =>
        Effect.gen(function* () {
          yield* sql`create table added (id uuid primary key)`
          yield* sql`alter table member add column number integer unique`
          yield* sql`alter table webhook_replay add foreign key (position) references activity (id)`
          yield* sql`alter table run_spend drop constraint run_spend_pkey, alter column workspace_id drop not null`
        })
      )
      assert.sameMembers(
        [...differences(yield* surveyTables)],
        [
          "added holds nobody's rows: say whose in TABLES",
          "member has a key that begins with no tenant: number",
          "run_spend has rows without a tenant",
          "webhook_replay: position = id refers to a row without comparing its tenant"
        ]
      )
    })
  )
})
