/** The views that operators have of runs and deliveries: whose, in which state, since when, page by page, and why they wait. */
import { assert, layer as suite } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { bootstrapped, layer, printed, refused } from "./operating.ts"

/** Said by tenants, agents and receivers; no view repeats it. */
const SAID = "s4idByThem"

interface Tenant {
  readonly organization_id: string
  readonly workspace_id: string
}

interface NewRun {
  readonly status: "queued" | "running" | "failed"
  readonly session?: string | undefined
  readonly minutesAgo?: number
  /** When it is due; of one that is not ready, none. */
  readonly dueInMinutes?: number | null
  readonly leaseSeconds?: number
}

/** Inserts a run, by default of a session of its own, and answers its id and its session. */
const makeRun = Effect.fnUntraced(function* (tenant: Tenant, made: NewRun) {
  const sql = yield* SqlClient.SqlClient
  const { dueInMinutes = null, leaseSeconds = 5, minutesAgo = 0, session, status } = made
  const { organization_id, workspace_id } = tenant
  yield* sql`
    insert into agent_platform.agent (organization_id, workspace_id, id, name, recipe, recipes, version, created_at, updated_at)
    values (${organization_id}, ${workspace_id}, ${workspace_id}, ${SAID}, 'demo', '{}', 1, now(), now()) on conflict do nothing
  `
  const [place] = yield* sql<{ readonly id: string; readonly last_position: number }>`
    insert into agent_platform.session (organization_id, workspace_id, id, last_position, created_at)
    values (${organization_id}, ${workspace_id}, coalesce(${session ?? null}::uuid, gen_random_uuid()), 1, now())
    on conflict (workspace_id, id) do update set last_position = session.last_position + 1 returning id, last_position
  `
  const [run] = yield* sql<{ readonly id: string; readonly session_id: string }>`
    insert into agent_platform.run (
      organization_id, workspace_id, id, session_id, position, agent_id, recipe, status, paused, interrupt_truncated, prompt, input,
      result, error, error_code, attempt, max_attempts, max_duration_seconds, priority, trigger_type, created_at, due_at, ready,
      started_at, finished_at, claim_token, lease_until, cost_usd, requests, input_tokens, cache_read_tokens, cache_write_tokens,
      output_tokens, reasoning_tokens, metadata, tags
    )
    select ${organization_id}, ${workspace_id}, gen_random_uuid(), ${place?.id}, ${place?.last_position}, ${workspace_id}, 'demo',
      ${status}, false, false, ${SAID}, to_jsonb(${SAID}::text), to_jsonb(${SAID}::text), ${SAID},
      case when ${status} = 'failed' then 'agent_error' end, 1, 1, 60, 0, 'api',
      date_trunc('milliseconds', now()) - ${minutesAgo} * interval '1 minute', due, coalesce(due <= now(), false),
      now(), case when ${status} = 'failed' then now() end, case when ${status} = 'running' then gen_random_uuid() end,
      case when ${status} = 'running' then now() + ${leaseSeconds} * interval '1 second' end, 0, 0, 0, 0, 0, 0, 0,
      jsonb_build_object('said', ${SAID}::text), array[${SAID}]
    from (select now() + ${dueInMinutes}::float8 * interval '1 minute' as due) as one
    returning id, session_id
  `
  return run ?? { id: "", session_id: "" }
})

/** Inserts an endpoint and deliveries to it, oldest first, each with two attempts; answers their events. */
const makeDeliveries = Effect.fnUntraced(function* (
  { organization_id, workspace_id }: Tenant,
  deliveries: ReadonlyArray<{ readonly state: "pending" | "delivered" | "dead"; readonly dueInMinutes?: number }>
) {
  const sql = yield* SqlClient.SqlClient
  const [endpoint] = yield* sql<{ readonly id: string }>`
    insert into agent_platform.webhook_endpoint (organization_id, id, url, event_types, description, status, sealed_secret, created_at)
    values (${organization_id}, gen_random_uuid(), ${`https://user:${SAID}@Hooks.example.com:8443/${SAID}?key=${SAID}`}, '{}', ${SAID},
      'active', ${SAID}, now())
    returning id
  `
  const events: Array<string> = []
  for (const { dueInMinutes = 5, state } of deliveries) {
    const [event] = yield* sql<{ readonly id: string }>`
      insert into agent_platform.event (id, organization_id, workspace_id, type, created_at, data)
      select (lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(${events.length}::int), 3, '0')
        || '8' || substr(md5(random()::text), 1, 15))::uuid, ${organization_id}, ${workspace_id}, 'run.failed', now(), ${SAID}
      returning id
    `
    yield* sql`
      insert into agent_platform.webhook_delivery (
        endpoint_id, event_id, organization_id, event_type, state, state_reason, attempt_count, failures, next_attempt_at, due_at,
        created_at, first_attempted_at, first_duration_millis, first_response_code, first_response_excerpt, first_remote_ip
      )
      select ${endpoint?.id}, ${event?.id}, ${organization_id}, 'run.failed', ${state},
        case when ${state} = 'dead' then 'retries_exhausted' end, 2, 2, due, due, now(), now(), 12, 503, ${SAID}, '203.0.113.7'
      from (select case when ${state} = 'pending' then now() + ${dueInMinutes} * interval '1 minute' end as due) as one
    `
    yield* sql`
      insert into agent_platform.webhook_attempt (
        organization_id, endpoint_id, event_id, number, attempted_at, duration_millis, response_code, response_excerpt
      ) values (${organization_id}, ${endpoint?.id}, ${event?.id}, 2, now(), 30, 500, ${SAID})
    `
    events.push(event?.id ?? "")
  }
  return { endpoint: endpoint?.id ?? "", events }
})

const idsOf = (page: { readonly items: ReadonlyArray<{ readonly id: string }> }) => page.items.map(({ id }) => id)

suite(layer, { excludeTestServices: true, timeout: "60 seconds" })("an operator's views", (it) => {
  it.effect("list runs by organization, workspace, status and time, and page through them without a gap", () =>
    Effect.gen(function* () {
      const [mine, other] = [yield* bootstrapped, yield* bootstrapped]
      const second = yield* printed("workspaces", "create", "--organization", mine.organization_id, "--name", "Second")
      const inSecond = { organization_id: mine.organization_id, workspace_id: second.id }
      const made = [
        yield* makeRun(mine, { status: "failed", minutesAgo: 50 }),
        yield* makeRun(inSecond, { status: "failed", minutesAgo: 40 }),
        yield* makeRun(mine, { status: "queued", minutesAgo: 30, dueInMinutes: -1 }),
        yield* makeRun(inSecond, { status: "failed", minutesAgo: 20 }),
        yield* makeRun(mine, { status: "failed", minutesAgo: 20 })
      ].map(({ id }) => id)
      const [oldest, ofSecond, queued] = made
      const foreign = yield* makeRun(other, { status: "failed" })
      const ofMine = ["--organization", mine.organization_id, "--json"]

      const all = yield* printed("runs", "list", ...ofMine)
      assert.sameMembers(idsOf(all), made)
      assert.deepStrictEqual(idsOf(all).slice(2), [queued, ofSecond, oldest])
      assert.isNull(all.next)
      assert.include(idsOf(yield* printed("runs", "list", "--json")), foreign.id)
      const alone = yield* printed("runs", "list", ...ofMine, "--workspace", "Second", "--status", "failed")
      assert.lengthOf(alone.items, 2)
      assert.sameMembers([...new Set(alone.items.map((run: Tenant) => run.workspace_id))], [second.id])
      assert.deepStrictEqual(idsOf(yield* printed("runs", "list", ...ofMine, "--status", "queued")), [queued])
      assert.lengthOf((yield* printed("runs", "list", ...ofMine, "--since", "35m")).items, 3)

      const paged: Array<string> = []
      let before: ReadonlyArray<string> = []
      do {
        const page = yield* printed("runs", "list", ...ofMine, "--limit", "2", ...before)
        paged.push(...idsOf(page))
        before = page.next === null ? [] : ["--before", page.next]
      } while (before.length > 0)
      assert.deepStrictEqual(paged, idsOf(all))
      assert.notInclude(JSON.stringify(all), SAID)
      assert.include(yield* refused("runs", "list", "--workspace", "Second"), "--organization as well")
      assert.include(yield* refused("runs", "list", "--since", "yesterday"), "how long ago")
      assert.include(yield* refused("runs", "list", "--limit", "201"), "from 1 to 200")
    })
  )

  it.effect("say why a run waits: behind its session, for its time, in line, or for a worker that is gone", () =>
    Effect.gen(function* () {
      const tenant = yield* bootstrapped
      const lost = yield* makeRun(tenant, { status: "running", leaseSeconds: -90 })
      const running = yield* makeRun(tenant, { status: "running", leaseSeconds: 60 })
      const behind = yield* makeRun(tenant, { status: "queued", session: running.session_id })
      const scheduled = yield* makeRun(tenant, { status: "queued", dueInMinutes: 30 })
      yield* makeRun(tenant, { status: "queued", dueInMinutes: -3 })
      const last = yield* makeRun(tenant, { status: "queued", dueInMinutes: -1 })
      const failed = yield* makeRun(tenant, { status: "failed" })
      const shown = Effect.fnUntraced(function* (run: { readonly id: string }) {
        const printedRun = yield* printed("runs", "show", "--run", run.id)
        assert.notInclude(JSON.stringify(printedRun), SAID)
        return printedRun
      })
      assert.deepInclude((yield* shown(lost)).waits, { reason: "lease_lapsed" })
      assert.deepInclude((yield* shown(running)).waits, { reason: "executed" })
      const waits = (yield* shown(behind)).waits
      assert.deepInclude(waits, { reason: "behind_session" })
      assert.include(waits.message, `1 runs of its session go first, of which the next is ${running.id}`)
      assert.deepInclude((yield* shown(scheduled)).waits, { reason: "scheduled", message: "It is to begin in 30 min" })
      const inLine = yield* shown(last)
      // No worker has a session with this database.
      assert.deepInclude(inLine.waits, { reason: "no_worker" })
      assert.deepInclude(inLine.circumstances, { ahead_in_workspace: 1, running_in_workspace: 2, worker_sessions: 0 })
      assert.isNull((yield* shown(failed)).waits)
      const unknown = "01a1fd51-2764-7218-9ac0-9d6895cfd59e"
      assert.strictEqual(yield* refused("runs", "show", "--run", unknown), `admin: There is no run ${unknown}`)
    })
  )

  it.effect("list deliveries by their place and state, page through them, and show attempts and why one waits", () =>
    Effect.gen(function* () {
      const [mine, other] = [yield* bootstrapped, yield* bootstrapped]
      const first = yield* makeDeliveries(mine, [
        { state: "delivered" },
        { state: "dead" },
        { state: "pending" },
        { state: "pending", dueInMinutes: -2 }
      ])
      const second = yield* makeDeliveries(mine, [{ state: "dead" }])
      yield* makeDeliveries(other, [{ state: "dead" }])
      const ofMine = ["--organization", mine.organization_id, "--json"]
      const eventsOf = (page: { readonly items: ReadonlyArray<{ readonly event_id: string }> }) =>
        page.items.map(({ event_id }) => event_id)

      const all = yield* printed("deliveries", "list", ...ofMine)
      assert.deepStrictEqual(eventsOf(all), [...first.events, ...second.events].toReversed())
      const dead = yield* printed("deliveries", "list", ...ofMine, "--state", "dead")
      assert.deepStrictEqual(eventsOf(dead), [second.events[0], first.events[1]])
      const ofEndpoint = yield* printed("deliveries", "list", "--endpoint", first.endpoint, "--json")
      assert.lengthOf(ofEndpoint.items, 4)
      assert.strictEqual(ofEndpoint.items[0].endpoint_host, "hooks.example.com:8443")
      const elsewhere = yield* printed(
        "workspaces",
        "create",
        "--organization",
        mine.organization_id,
        "--name",
        "Empty"
      )
      assert.isEmpty((yield* printed("deliveries", "list", ...ofMine, "--workspace", elsewhere.id)).items)
      assert.lengthOf((yield* printed("deliveries", "list", ...ofMine, "--workspace", mine.workspace_id)).items, 5)

      const paged: Array<string> = []
      let before: ReadonlyArray<string> = []
      do {
        const page = yield* printed("deliveries", "list", ...ofMine, "--limit", "2", ...before)
        paged.push(...eventsOf(page))
        before = page.next === null ? [] : ["--before", page.next]
      } while (before.length > 0)
      assert.deepStrictEqual(paged, eventsOf(all))

      const show = (event: string | undefined) =>
        printed("deliveries", "show", "--endpoint", first.endpoint, "--event", `${event}`)
      const due = yield* show(first.events[3])
      assert.deepInclude(due.waits, { reason: "no_worker" })
      assert.deepStrictEqual(
        due.attempt_list.map((one: Readonly<Record<string, unknown>>) => [one["number"], one["response_code"]]).sort(),
        [
          [1, 503],
          [2, 500]
        ]
      )
      const later = yield* show(first.events[2])
      assert.deepInclude(later.waits, { reason: "scheduled" })
      assert.deepInclude(later.circumstances, { is_claimed: false, ahead_of_endpoint: 1 })
      assert.isNull((yield* show(first.events[1])).waits)
      assert.notInclude(JSON.stringify([all, due, later]), SAID)
      assert.include(
        yield* refused("deliveries", "show", "--endpoint", second.endpoint, "--event", `${first.events[0]}`),
        "There is no such delivery"
      )
    })
  )
})
