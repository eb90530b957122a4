/** Walks over all operations with requests by chance, and says what was answered otherwise than documented. */
import { OVERRIDABLE } from "@agent-platform/runs"
import { Effect, String as Text } from "effect"
import { aPerson, openSession } from "../people.ts"
import { anAgent, type Tenant, TestApi } from "../support.ts"
import { makeAsking } from "./asking.ts"
import { type Operation, operations } from "./document.ts"
import { faultsOf, type Given } from "./judge.ts"
import { makePool, type Pool } from "./pool.ts"
import { type Callers, requestTo } from "./requests.ts"
import { type Chance, chanceOf } from "./values.ts"

/** After so many requests another tenant is walked: callers revoke their own keys, and remove themselves. */
const ROUND = 300

/** Requests to each operation in a round for those that have not succeeded: few, since most then succeed within one or two. */
const INSISTING = 30

/** Requests under way at once. */
const CALLERS = 12

export interface Walked {
  readonly requests: number
  /** Answers by operation and status. */
  readonly answers: ReadonlyMap<string, ReadonlyMap<number, number>>
  /** The answer that took longest: which, and how long. */
  readonly slowest: { readonly name: string; readonly millis: number }
  /** The faults, each once, with a request that shows it. */
  readonly faults: ReadonlyArray<string>
}

const callersOf = Effect.fnUntraced(function* (tenant: Tenant) {
  const api = yield* TestApi
  const owner = yield* aPerson(tenant, "owner")
  const leaver = yield* aPerson(tenant, "owner")
  const limited = yield* api.keyWith(tenant, { rateLimit: { limit: 3, windowSeconds: 86_400 } })
  const reader = yield* api.keyWith(tenant, { scopes: ["runs:read"] })
  const eraser = yield* api.keyWith(tenant, { scopes: ["data:erase"] })
  const inWorkspace = { "x-workspace-id": tenant.workspaceId }
  const workspaceKey = { "x-api-key": tenant.workspaceKey }
  const orgKey = { authorization: `Bearer ${tenant.orgKey}` }
  const callers: Callers = {
    fitting: ({ isPublic, path }, isUnsafe) => {
      const session = { ...(isUnsafe ? owner.unsafe : owner.headers), ...inWorkspace }
      if (isPublic) return [{}]
      if (path.startsWith("/api/v1/org/webhooks")) return [orgKey]
      if (path.startsWith("/api/v1/org/")) return [orgKey, session]
      if (path.endsWith("/auth/logout")) return [{ ...leaver.unsafe }]
      if (path.includes("/auth/sessions")) return [session]
      if (path.startsWith("/api/v1/erasures/")) return [{ "x-api-key": eraser }, session]
      return [workspaceKey, workspaceKey, { ...orgKey, ...inWorkspace }, session]
    },
    others: [
      {},
      workspaceKey,
      orgKey,
      owner.headers,
      { "x-api-key": limited },
      { "x-api-key": reader },
      { "x-api-key": `${tenant.workspaceKey.slice(0, -1)}!` },
      { "x-api-key": "apk_ws_nonsense" },
      { authorization: "Basic eDp5" },
      { ...workspaceKey, ...orgKey },
      { ...workspaceKey, "x-workspace-id": "nonsense" },
      { ...orgKey, "x-workspace-id": "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77" },
      { cookie: "__Host-agent-platform-session=nonsense" }
    ]
  }
  const spare = [yield* openSession(owner.member, owner.user), yield* openSession(owner.member, owner.user)]
  const hidden: Array<string> = [owner.session.id, owner.member.id, leaver.member.id]
  for (const key of [tenant.workspaceKey, tenant.orgKey, limited, reader, eraser]) {
    const { json } = yield* api.call("GET", "/api/v1/auth/me", { key })
    hidden.push(String(json["auth"]!["key_id"]))
  }
  return { callers, eraser, hidden: new Set(hidden), spare: spare.map(({ session }) => session.id) }
})

/** So that there is something to ask about from the first request on. */
const seeded = Effect.fnUntraced(function* (tenant: Tenant, eraser: string, pool: Pool) {
  const api = yield* TestApi
  const key = tenant.workspaceKey
  const agent_id = yield* anAgent(tenant)
  pool.put("agent_id", agent_id)
  // Its runs may have every setting for themselves, so that those are walked into and not refused at once.
  yield* api.call("PATCH", `/api/v1/agents/${agent_id}`, {
    key,
    body: { overridable: OVERRIDABLE.map(Text.camelToSnake) }
  })
  pool.keep(tenant.workspaceId)
  const made: ReadonlyArray<readonly [string, string, object]> = [
    [key, "/api/v1/runs/", { agent_id, message: "Hi" }],
    [key, "/api/v1/runs/", { agent_id, input: { steps: [{ ask: "Shall I?" }] } }],
    [key, `/api/v1/agents/${agent_id}/webhooks`, {}],
    [key, "/api/v1/auth/api-keys", { name: "Walked" }],
    [key, "/api/v1/byok/openai", { key: "sk-walked-0123456789", validate: false }],
    [
      key,
      "/api/v1/tool-secrets",
      { name: "Walked", host_pattern: "api.example.com", header: "x-api-key", value: "walked-0123456789" }
    ],
    [
      tenant.orgKey,
      "/api/v1/org/tool-secrets",
      { name: "Walked above", host_pattern: "api.example.org", header: "x-api-key", value: "walked-0123456789" }
    ],
    [key, "/api/v1/schedules", { agent_id, cron: "0 9 * * 1-5", timezone: "Europe/Berlin" }],
    [tenant.orgKey, "/api/v1/org/provider-keys", { provider: "openai", key: "sk-walked-9876543210", validate: false }],
    [tenant.orgKey, "/api/v1/org/agent-templates", { name: "Walked above" }],
    [tenant.orgKey, "/api/v1/org/webhooks", { url: "https://example.com/hooks" }],
    [tenant.orgKey, "/api/v1/org/members", { email: `${crypto.randomUUID()}@example.com`, organization_role: "admin" }]
  ]
  for (const [by, path, body] of made) {
    const { json } = yield* api.call("POST", path, { key: by, body })
    pool.harvest(`POST ${path}`, json)
    const endpoint = path.endsWith("/org/webhooks") ? String(json["id"]) : undefined
    if (endpoint === undefined) continue
    const test = yield* api.call("POST", `${path}/${endpoint}/test`, { key: by, body: {} })
    pool.harvest(`POST ${path}`, test.json, `${path}/${endpoint}/test`)
    const replay = yield* api.call("POST", `${path}/${endpoint}/replay`, {
      key: by,
      body: { since: new Date(Date.now() - 60_000).toISOString() }
    })
    pool.put("replay_id", replay.json["id"] as unknown)
  }
  // Only owners may erase what is made by chance, and most of what is made is gone before they do.
  const erased = yield* api.call("POST", "/api/v1/runs/", { key, body: { agent_id, message: "Forget this" } })
  const erasure = yield* api.call("DELETE", `/api/v1/runs/${erased.json["run_id"]}`, { key: eraser })
  pool.put("erasure_id", erasure.json["id"] as unknown)
})

const parsed = (text: string | undefined): unknown => {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Walks with so many requests. `tamper` changes answers before they are judged. */
export const walk = Effect.fnUntraced(function* (options: {
  readonly requests: number
  readonly seed: number
  /** How many more rounds there are at most for operations that have not succeeded yet. */
  readonly insist?: number
  /** The names of those that never succeed. */
  readonly except?: ReadonlyArray<string>
  readonly tamper?: (operation: Operation, given: Given) => Given
}) {
  const api = yield* TestApi
  const chance: Chance = chanceOf(options.seed)
  const { ask, close } = yield* Effect.acquireRelease(
    Effect.sync(() => makeAsking(api.port)),
    (asking) => Effect.sync(asking.close)
  )
  const answers = new Map(operations.map(({ name }) => [name, new Map<number, number>()]))
  const faults = new Map<string, string>()
  let requests = 0
  let turn = 0
  let slowest = { name: "", millis: 0 }

  const one = async (operation: Operation, callers: Callers, pool: Pool) => {
    const { asked, wanted } = requestTo(operation, callers, pool, chance)
    const answered = await ask(wanted)
    const given = options.tamper?.(operation, answered) ?? answered
    requests++
    if (given.millis > slowest.millis) slowest = { name: operation.name, millis: given.millis }
    const counts = answers.get(operation.name)
    counts?.set(given.status, (counts.get(given.status) ?? 0) + 1)
    if (given.status < 300) pool.harvest(operation.name, parsed(given.text), wanted.path)
    for (const fault of faultsOf(operation, asked, given)) {
      const shown = `${operation.name}: the answer ${fault}`
      if (!faults.has(shown)) {
        const { "x-api-key": _, authorization: __, cookie: ___, ...headers } = wanted.headers
        faults.set(shown, `${wanted.path} ${JSON.stringify(headers)} ${wanted.body?.slice(0, 600) ?? ""}`)
      }
    }
  }

  const hasSucceeded = ({ name }: Operation) => [...(answers.get(name)?.keys() ?? [])].some((status) => status < 300)

  /** So many requests at most, each to the next of those that `wanted` still names. */
  const round = Effect.fnUntraced(function* (wanted: () => ReadonlyArray<Operation>, most: number) {
    const tenant = yield* api.tenant
    const { callers, eraser, hidden, spare } = yield* callersOf(tenant)
    const pool = makePool(chance, hidden)
    for (const id of spare) pool.put("login_session_id", id)
    yield* seeded(tenant, eraser, pool)
    const end = turn + most
    yield* Effect.promise(() =>
      Promise.all(
        Array.from({ length: CALLERS }, async () => {
          for (let among = wanted(); turn < end && among.length > 0; among = wanted()) {
            await one(among[turn++ % among.length] as Operation, callers, pool)
          }
        })
      )
    )
  })
  while (requests < options.requests) yield* round(() => operations, Math.min(ROUND, options.requests - requests))
  // Operations without a success so far are repeated in fresh workspaces, together with those that make and list their resources.
  const left = () => operations.filter((one) => !hasSucceeded(one) && !options.except?.includes(one.name))
  const leftWithSources = () => {
    const missing = left()
    const isSource = ({ path }: Operation) => missing.some((one) => one.path !== path && one.path.startsWith(path))
    return [...missing, ...operations.filter(isSource)]
  }
  for (let more = 0; more < (options.insist ?? 0) && left().length > 0; more++) {
    yield* round(leftWithSources, leftWithSources().length * INSISTING)
  }
  close()
  return { requests, answers, slowest, faults: [...faults].map(([fault, shown]) => `${fault}\n    ${shown}`) } as Walked
}, Effect.scoped)
