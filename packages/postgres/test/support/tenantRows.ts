/** One row in every table that belongs to a tenant, for tests of the schema itself. */
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { jsonb, texts } from "../../src/columns.ts"
import { templateRows } from "./templateRows.ts"

const NOW = new Date("2026-11-21T05:15:00.123Z")

/** The ids of a tenant's rows, by what they are. */
export type TenantIds = Readonly<Record<(typeof KINDS)[number], string>>

const KINDS = [
  "organization",
  "workspace",
  "key",
  "successor",
  "agent",
  "session",
  "run",
  "followUp",
  "user",
  "member",
  "login",
  "providerKey",
  "toolSecret",
  "template",
  "entry",
  "endpoint",
  "replay"
] as const

const actor = { created_by_type: "user", created_by_id: "1", created_by_label: "a key" }

const keyOf = (ids: TenantIds, id: string) => ({
  organization_id: ids.organization,
  workspace_id: ids.workspace,
  id,
  kind: "workspace",
  name: "CI",
  hash: id,
  hint: "",
  scopes: texts([]),
  metadata: jsonb({}),
  disabled: false,
  version: 1,
  created_at: NOW,
  ...actor
})

/** A number that no other tenant has, so that the boundary alone can refuse what names its row. */
const numberOf = (id: string) => Number.parseInt(id.slice(-7), 16) + 1

/** A month that hardly any other tenant has, for the same reason. */
const monthOf = (id: string) => `${1000 + (numberOf(id) % 8999)}-${String((numberOf(id) % 12) + 1).padStart(2, "0")}`

const runOf = (ids: TenantIds, id: string) => ({
  organization_id: ids.organization,
  workspace_id: ids.workspace,
  id,
  session_id: ids.session,
  position: numberOf(id),
  agent_id: ids.agent,
  recipe: "demo",
  status: "queued",
  paused: false,
  interrupt_truncated: false,
  attempt: 0,
  max_attempts: 1,
  max_duration_seconds: 60,
  priority: 0,
  trigger_type: "api",
  created_at: NOW,
  cost_usd: "0",
  requests: 0,
  input_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  metadata: jsonb({}),
  tags: texts([])
})

/** The rows of a tenant, those first that others refer to. */
const rowsOf = (ids: TenantIds): ReadonlyArray<readonly [table: string, row: Record<string, unknown>]> => {
  const tenant = { organization_id: ids.organization, workspace_id: ids.workspace }
  const member = { organization_id: ids.organization, member_id: ids.member }
  return [
    ["organization", { id: ids.organization, name: "Acme", created_at: NOW }],
    [
      "workspace",
      { organization_id: ids.organization, id: ids.workspace, name: "Main", timezone: "UTC", created_at: NOW }
    ],
    ["api_key", keyOf(ids, ids.successor)],
    ["api_key", { ...keyOf(ids, ids.key), replaced_by: ids.successor }],
    [
      "api_key_rate",
      { organization_id: ids.organization, key_id: ids.key, request_limit: 1, window_seconds: 1, full_at_nanos: 0 }
    ],
    ["workspace_rate", { ...tenant, request_limit: 1, window_seconds: 1, full_at_nanos: 0 }],
    [
      "agent",
      {
        ...tenant,
        id: ids.agent,
        name: "Demo",
        recipe: "demo",
        recipes: texts([]),
        version: 1,
        created_at: NOW,
        updated_at: NOW
      }
    ],
    [
      "agent_version",
      { ...tenant, agent_id: ids.agent, version: 1, is_archived: false, settings: jsonb({}), created_at: NOW }
    ],
    ["agent_webhook", { ...tenant, agent_id: ids.agent, token_hash: ids.agent, verification: "none", created_at: NOW }],
    [
      "schedule",
      {
        ...tenant,
        id: ids.agent,
        agent_id: ids.agent,
        cron: "0 3 * * *",
        timezone: "UTC",
        metadata: jsonb({}),
        tags: [],
        missed: "skip",
        enabled: true,
        next_run_at: NOW,
        version: 1,
        created_at: NOW,
        updated_at: NOW
      }
    ],
    ["session", { ...tenant, id: ids.session, created_at: NOW }],
    ["run", runOf(ids, ids.run)],
    ["run", { ...runOf(ids, ids.followUp), resumes_run_id: ids.run, resumed_by_run_id: ids.run }],
    ["run_content", { ...tenant, run_id: ids.run, bytes: 2, parts: "[]" }],
    ["run_checkpoint", { ...tenant, run_id: ids.run, session_id: ids.session, state: "{}", saved_at: NOW }],
    [
      "run_event",
      {
        workspace_id: ids.workspace,
        run_id: ids.run,
        session_id: ids.session,
        seq: numberOf(ids.run),
        type: "run.queued",
        created_at: NOW,
        attempt: 0,
        data: jsonb({})
      }
    ],
    [
      "compressed_log",
      {
        workspace_id: ids.workspace,
        run_id: ids.run,
        first_seq: numberOf(ids.run),
        last_seq: numberOf(ids.run),
        bytes: 2,
        events: new Uint8Array()
      }
    ],
    [
      "usage_correction",
      {
        ...tenant,
        id: ids.entry,
        call_id: ids.entry,
        run_id: ids.run,
        agent_id: ids.agent,
        provider: "openai",
        request_model: "",
        key_source: "platform",
        called_at: NOW,
        cost_usd: "0",
        delta_usd: "0",
        was_unpriced: false,
        price_version: "",
        reason: "",
        created_at: NOW
      }
    ],
    ["billing_month", { ...tenant, month: monthOf(ids.workspace), timezone: "UTC", starts_at: NOW, ends_at: NOW }],
    [
      "billing_day",
      {
        ...tenant,
        date: `${monthOf(ids.workspace)}-01`,
        starts_at: NOW,
        ends_at: NOW,
        runs: 0,
        requests: 0,
        unpriced_requests: 0,
        byok_cost_usd: "0",
        platform_cost_usd: "0",
        adjustments_usd: "0",
        revision: 0
      }
    ],
    [
      "latency_roll_up",
      {
        ...tenant,
        kind: "run",
        starts_at: NOW,
        agent_id: ids.agent,
        provider: "",
        model: "",
        distribution: "{}"
      }
    ],
    [
      "outcome_roll_up",
      { ...tenant, level: "day", starts_at: NOW, agent_id: ids.agent, succeeded: 0, paused: 0, failed: 0, cancelled: 0 }
    ],
    [
      "usage_roll_up",
      {
        ...tenant,
        level: "day",
        starts_at: NOW,
        agent_id: ids.agent,
        provider: "openai",
        model: "",
        key_source: "platform",
        requests: 0,
        unpriced_requests: 0,
        input_tokens: 0,
        cache_read_tokens: 0,
        cache_write_tokens: 0,
        output_tokens: 0,
        reasoning_tokens: 0,
        cost_usd: "0"
      }
    ],
    [
      "workspace_spend",
      // Another month than any other tenant's, so that the boundary alone can refuse what moves the row there.
      { ...tenant, period_start: new Date(numberOf(ids.run) * 1000), period_end: NOW }
    ],
    ["run_spend", { workspace_id: ids.workspace, run_id: ids.run }],
    [
      "price_override",
      {
        ...tenant,
        id: ids.entry,
        provider: "openai",
        model: "gpt-4o",
        input_usd: "1",
        output_usd: "1",
        effective_from: NOW,
        created_at: NOW
      }
    ],
    [
      "activity",
      {
        ...tenant,
        id: ids.entry,
        action: "agent.created",
        actor_type: "user",
        actor_word: "1",
        actor_label: "",
        summary: "",
        resource_type: "agent",
        resource_id: ids.agent,
        payload: jsonb({}),
        created_at: NOW
      }
    ],
    [
      "notification",
      { ...tenant, id: ids.entry, type: "run.failed", title: "", body: "", payload: jsonb({}), created_at: NOW }
    ],
    ["notification_closing", { ...tenant, id: ids.entry, about: ids.run, title: "" }],
    ["notification_tally", tenant],
    ["notification_reader", tenant],
    ["notification_read", { ...tenant, notification_id: ids.entry }],
    [
      "app_user",
      { id: ids.user, issuer: "https://example.com", subject: ids.user, email: "", name: "", created_at: NOW }
    ],
    [
      "member",
      {
        organization_id: ids.organization,
        id: ids.member,
        email: `${ids.member}@example.com`,
        user_id: ids.user,
        invited_by_type: "user",
        invited_by_id: "1",
        invited_by_label: "",
        invited_at: NOW,
        joined_at: NOW
      }
    ],
    ["member_workspace", { ...member, workspace_id: ids.workspace, role: "member" }],
    [
      "login_session",
      {
        ...member,
        id: ids.login,
        hash: ids.login,
        provider: "google",
        created_at: NOW,
        last_seen_at: NOW,
        expires_at: NOW
      }
    ],
    [
      "provider_key",
      {
        ...tenant,
        id: ids.providerKey,
        provider: "openai",
        name: "",
        hint: "",
        fingerprint: "",
        sealed: "",
        status: "active",
        priority: 1,
        fallback: "none",
        version: 1,
        created_at: NOW,
        ...actor
      }
    ],
    [
      "tool_secret",
      {
        ...tenant,
        id: ids.toolSecret,
        name: ids.toolSecret,
        host_pattern: `${ids.toolSecret}.example.com`,
        header: "authorization",
        sealed: "",
        version: 1,
        created_at: NOW,
        updated_at: NOW,
        ...actor
      }
    ],
    ...templateRows(ids),
    [
      "webhook_endpoint",
      {
        organization_id: ids.organization,
        id: ids.endpoint,
        url: "https://receiver.example.com",
        event_types: texts([]),
        status: "active",
        sealed_secret: "",
        created_at: NOW
      }
    ],
    [
      "webhook_replay",
      {
        organization_id: ids.organization,
        id: ids.replay,
        endpoint_id: ids.endpoint,
        since: NOW,
        until: NOW,
        selection: "dead",
        state: "pending",
        replayed_count: 0,
        created_at: NOW
      }
    ]
  ]
}

/** Makes a tenant with a row in each table. */
export const storeTenantRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const ids = Object.fromEntries(KINDS.map((kind) => [kind, SecureRandom.uuidV7Unsafe()])) as TenantIds
  yield* Effect.forEach(rowsOf(ids), ([table, row]) => sql`insert into ${sql(table)} ${sql.insert(row)}`, {
    discard: true
  })
  return ids
})
