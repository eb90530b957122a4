/** Erasing over Postgres and its queue, workers included: afterwards no row anywhere has a text of what was erased. */

import { ErasureId, OrganizationId } from "@agent-platform/kernel"
import { ClosingSeconds, continueErasure, Erasures, Platform } from "@agent-platform/platform"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { sumsOf, tablesWith } from "./canaries.ts"
import { layerPorts } from "./overPostgres.ts"
import { aPerson } from "./people.ts"
import { type Json, layerOver, type Tenant, TestApi } from "./support.ts"

const lines: Array<string> = []
const logged = Logger.layer([
  Logger.make((entry) => void lines.push(JSON.stringify([entry.message, String(entry.cause)])))
])

const layerWithWorkers = Layer.suspend(() =>
  Platform.layerWorkers({
    demo: "full",
    runs: { drainSeconds: 0 },
    erasures: { pauseSeconds: 0.05, pollSeconds: 0.2 }
  }).pipe(
    Layer.provide(Layer.succeed(ClosingSeconds, 1)),
    Layer.provideMerge(layerOver(layerPorts, { logger: logged })),
    Layer.provide(logged)
  )
)

const SPEND = { provider: "openai", model: "gpt-4o-mini", input_tokens: 1_000_000, output_tokens: 1_000_000 }

/** A text that is nowhere else, and too large for a row. */
const aCanary = () => `canary-${crypto.randomUUID()}`
const large = (canary: string) => `${canary} ${"x".repeat(20_000)} ${canary}`

const until = <A>(what: string, look: Effect.Effect<A | undefined, never, TestApi>) =>
  Effect.gen(function* () {
    for (let count = 0; count < 1_500; count++) {
      const found = yield* look
      if (found !== undefined) return found
      yield* Effect.sleep("20 millis")
    }
    return assert.fail(
      `It is waited in vain for ${what}: ${lines.filter((line) => !/ \d{3} \d+ ms/.test(line)).at(-1)}`
    )
  })

const eraserOf = Effect.fnUntraced(function* (tenant: Tenant) {
  const api = yield* TestApi
  return {
    key: yield* api.keyWith(tenant, { scopes: ["data:erase"] }),
    orgKey: yield* api.keyWith(tenant, { scopes: ["data:erase", "org:admin"], organization: true })
  }
})

/** Erases, and waits for the end. */
const erased = Effect.fnUntraced(function* (method: string, path: string, key: string) {
  const api = yield* TestApi
  const asked = yield* api.call(method, path, { key })
  assert.strictEqual(asked.status, 202, asked.text)
  const location = `/api/v1/erasures/${asked.json["id"]}`
  assert.strictEqual(asked.headers.get("location"), location)
  const again = yield* api.call(method, path, { key })
  if (again.status === 202) assert.strictEqual(String(again.json["id"]), String(asked.json["id"]))
  return yield* until(
    `the end of ${path}`,
    Effect.map(api.call("GET", location, { key }), ({ json }) => (String(json["state"]) === "done" ? json : undefined))
  )
})

/** An agent with the canary in everything that it takes. */
const agentWith = Effect.fnUntraced(function* (tenant: Tenant, canary: string) {
  const api = yield* TestApi
  const { json, status, text } = yield* api.call("POST", "/api/v1/agents", {
    key: tenant.workspaceKey,
    body: { name: canary, description: canary, instructions: large(canary) },
    headers: { "idempotency-key": canary }
  })
  assert.strictEqual(status, 201, text)
  yield* api.call("POST", `/api/v1/agents/${json["agent_id"]}/webhooks`, {
    key: tenant.workspaceKey,
    body: { verification: "github", secret: canary }
  })
  return String(json["agent_id"])
})

/** A run with the canary in everything that it takes; it calls a model, says something and asks a question. */
const runWith = Effect.fnUntraced(function* (tenant: Tenant, agent_id: string, canary: string, session_id?: string) {
  const api = yield* TestApi
  const { json, status, text } = yield* api.call("POST", "/api/v1/runs/", {
    key: tenant.workspaceKey,
    headers: { "idempotency-key": `${canary}${crypto.randomUUID()}` },
    body: {
      agent_id,
      ...(session_id === undefined ? {} : { session_id }),
      message: large(canary),
      input: { steps: [{ spend: SPEND }, { say: large(canary) }, { ask: canary }] },
      metadata: { customer: canary },
      tags: [canary],
      wait_seconds: 30
    }
  })
  assert.strictEqual(`${status} ${json["status"]}`, "202 succeeded", text)
  return { runId: String(json["run_id"]), sessionId: String(json["session_id"]) }
})

/** Waits until so many runs and calls are counted, and answers the sums. */
const counted = (tenant: Tenant, runs: number) =>
  until(
    "the roll-ups",
    Effect.map(sumsOf(tenant.organizationId), (sums) =>
      Number(sums?.["runs"]) === runs && sums?.["usage"] !== "0" ? sums : undefined
    )
  )

const gone = Effect.fnUntraced(function* (canary: string) {
  assert.deepStrictEqual(yield* tablesWith(canary), [])
  assert.deepStrictEqual(
    lines.filter((line) => line.includes(canary)),
    []
  )
})

const statusOf = (method: string, path: string, key: string) =>
  Effect.flatMap(TestApi, (api) => Effect.map(api.call(method, path, { key }), ({ status }) => status))

layer(layerWithWorkers, { excludeTestServices: true, timeout: "120 seconds" })("erasing over Postgres", (it) => {
  it.effect("a run leaves nothing of it, and what is beside it", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const { key } = yield* eraserOf(tenant)
      const [canary, kept] = [aCanary(), aCanary()]
      yield* api.call("POST", "/api/v1/org/webhooks", {
        key: tenant.orgKey,
        body: { url: "https://example.com/hooks" }
      })
      const agent = yield* agentWith(tenant, kept)
      const { runId, sessionId } = yield* runWith(tenant, agent, canary)
      const other = yield* runWith(tenant, agent, kept, sessionId)
      const before = yield* counted(tenant, 2)
      assert.includeMembers(yield* tablesWith(canary), ["agent_platform.run", "agent_platform.run_event"])
      const preview = yield* api.call("DELETE", `/api/v1/runs/${runId}?dry_run=true`, { key })
      assert.deepInclude(preview.json["counts"] as object, { runs: 1, model_calls: 1 })
      assert.strictEqual(yield* statusOf("GET", `/api/v1/runs/${runId}`, tenant.workspaceKey), 200)

      const done = yield* erased("DELETE", `/api/v1/runs/${runId}`, key)
      assert.deepInclude(done["counts"] as object, { runs: { done: 1, total: 1 } })
      yield* gone(canary)
      assert.isNotEmpty(yield* tablesWith(kept))
      assert.deepStrictEqual(yield* sumsOf(tenant.organizationId), before)
      assert.strictEqual(yield* statusOf("GET", `/api/v1/runs/${runId}`, tenant.workspaceKey), 404)
      assert.strictEqual(yield* statusOf("GET", `/api/v1/analytics/runs/${runId}/costs`, tenant.workspaceKey), 404)
      assert.strictEqual(yield* statusOf("DELETE", `/api/v1/runs/${runId}`, key), 404)
      const session = yield* api.call("GET", "/api/v1/sessions", { key: tenant.workspaceKey })
      assert.include(session.text, sessionId)
      assert.strictEqual(yield* statusOf("GET", `/api/v1/runs/${other.runId}`, tenant.workspaceKey), 200)
      const feed = yield* api.call("GET", "/api/v1/activity?resource_type=run", { key: tenant.workspaceKey })
      const entry = (feed.json["items"] as unknown as ReadonlyArray<Json>).find(
        (one) => String(one["action"]) === "run.erased"
      )
      assert.strictEqual(String(entry?.["resource_id"]), runId)
    })
  )

  it.effect("a session leaves nothing of all its runs, also of one that is executed and of those that wait", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const { key } = yield* eraserOf(tenant)
      const canary = aCanary()
      const agent = yield* agentWith(tenant, aCanary())
      const { sessionId } = yield* runWith(tenant, agent, canary)
      const before = yield* counted(tenant, 1)
      for (let count = 0; count < 3; count++) {
        yield* api.call("POST", "/api/v1/runs/", {
          key: tenant.workspaceKey,
          body: { agent_id: agent, session_id: sessionId, message: canary, input: { steps: [{ sleep_ms: 60_000 }] } }
        })
      }
      yield* erased("DELETE", `/api/v1/sessions/${sessionId}`, key)
      yield* gone(canary)
      const after = yield* sumsOf(tenant.organizationId)
      assert.deepStrictEqual({ ...after, runs: before["runs"] ?? "" }, before)
      assert.strictEqual(yield* statusOf("GET", `/api/v1/sessions/${sessionId}`, tenant.workspaceKey), 404)
    })
  )

  it.effect("an agent leaves nothing of itself and of its runs", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const { key } = yield* eraserOf(tenant)
      const canary = aCanary()
      const agent = yield* agentWith(tenant, canary)
      for (let count = 0; count < 3; count++) yield* runWith(tenant, agent, canary)
      const before = yield* counted(tenant, 3)
      yield* erased("POST", `/api/v1/agents/${agent}/erase`, key)
      yield* gone(canary)
      assert.deepStrictEqual(yield* sumsOf(tenant.organizationId), before)
      assert.strictEqual(yield* statusOf("GET", `/api/v1/agents/${agent}`, tenant.workspaceKey), 404)
    })
  )

  it.effect("a workspace is closed at once, also for those in the middle of something, and leaves nothing", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const { orgKey } = yield* eraserOf(tenant)
      const canary = aCanary()
      const path = `/api/v1/org/workspaces/${tenant.workspaceId}`
      yield* api.call("PATCH", path, { key: tenant.orgKey, body: { name: canary } })
      yield* api.call("POST", "/api/v1/auth/api-keys", { key: tenant.workspaceKey, body: { name: canary } })
      yield* api.call("POST", "/api/v1/byok/openai", {
        key: tenant.workspaceKey,
        body: { key: canary, name: canary, validate: false }
      })
      const agent = yield* agentWith(tenant, canary)
      yield* runWith(tenant, agent, canary)
      const before = yield* counted(tenant, 1)
      const trigger = api.call("POST", "/api/v1/runs/", {
        key: tenant.workspaceKey,
        body: { agent_id: agent, message: canary, input: { steps: [{ sleep_ms: 60_000 }] } }
      })
      const [asked, ...raced] = yield* Effect.all(
        [api.call("DELETE", path, { key: orgKey }), ...Array.from({ length: 20 }, () => trigger)],
        { concurrency: "unbounded" }
      )
      assert.strictEqual(asked.status, 202, asked.text)
      for (const { status } of raced) assert.oneOf(status, [202, 401, 404])
      assert.strictEqual(yield* statusOf("GET", "/api/v1/agents", tenant.workspaceKey), 401)
      const named = { headers: { "x-workspace-id": tenant.workspaceId } }
      assert.strictEqual((yield* api.call("GET", "/api/v1/agents", { key: tenant.orgKey, ...named })).status, 404)
      assert.notInclude(
        (yield* api.call("GET", "/api/v1/org/workspaces", { key: tenant.orgKey })).text,
        tenant.workspaceId
      )
      yield* erased("DELETE", path, orgKey)
      yield* gone(canary)
      const after = yield* sumsOf(tenant.organizationId)
      assert.deepStrictEqual({ ...after, runs: before["runs"] ?? "" }, before)
      assert.strictEqual(yield* statusOf("DELETE", path, orgKey), 404)
    })
  )

  it.effect("a person leaves their acts, and no name", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const erasures = yield* Erasures
      const tenant = yield* api.tenant
      const owner = yield* aPerson(tenant, "owner")
      const unsafe = { ...owner.unsafe, "x-workspace-id": tenant.workspaceId }
      const made = yield* api.call("POST", "/api/v1/auth/api-keys", { headers: unsafe, body: { name: "Theirs" } })
      assert.strictEqual(made.status, 201, made.text)
      yield* api.call("POST", "/api/v1/org/members", { headers: owner.unsafe, body: { email: "else@example.com" } })
      const names = [owner.user.email, owner.member.email, owner.session.id]
      const subject = {
        kind: "person",
        organizationId: OrganizationId.make(tenant.organizationId),
        workspaceId: null,
        subjectId: owner.user.id
      } as const
      const actor = { type: "system", id: "admin", label: "admin" } as const
      const { value } = yield* Effect.orDie(erasures.askErasure({ ...subject, actor, idempotency: undefined }))
      assert.strictEqual((yield* api.call("GET", "/api/v1/auth/me", { headers: owner.headers })).status, 401)
      const { id, organizationId } = value
      yield* until(
        "the person's end",
        Effect.map(Effect.orDie(erasures.readErasure({ organizationId, within: undefined, id })), ({ state }) =>
          state === "done" ? true : undefined
        )
      )
      for (const name of names) assert.deepStrictEqual(yield* tablesWith(name), [])
      const keys = yield* api.call("GET", "/api/v1/auth/api-keys", { key: tenant.workspaceKey })
      assert.include(keys.text, '"label":"erased person"')
    })
  )

  it.effect("an organization leaves its id and its sums", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const erasures = yield* Erasures
      const tenant = yield* api.tenant
      const canary = aCanary()
      yield* api.call("POST", "/api/v1/org/webhooks", {
        key: tenant.orgKey,
        body: { url: `https://example.com/${canary}`, description: canary }
      })
      yield* api.call("POST", "/api/v1/org/workspaces", { key: tenant.orgKey, body: { name: canary } })
      yield* api.call("POST", "/api/v1/org/members", { key: tenant.orgKey, body: { email: `${canary}@example.com` } })
      yield* api.call("POST", "/api/v1/org/api-keys", { key: tenant.orgKey, body: { name: canary } })
      const agent = yield* agentWith(tenant, canary)
      yield* runWith(tenant, agent, canary)
      const before = yield* counted(tenant, 1)
      const organizationId = OrganizationId.make(tenant.organizationId)
      const subject = { kind: "organization", organizationId, workspaceId: null, subjectId: organizationId } as const
      const actor = { type: "system", id: "admin", label: "admin" } as const
      const { value } = yield* Effect.orDie(erasures.askErasure({ ...subject, actor, idempotency: undefined }))
      for (const key of [tenant.orgKey, tenant.workspaceKey]) {
        assert.strictEqual(yield* statusOf("GET", "/api/v1/auth/me", key), 401)
      }
      yield* until(
        "the organization's end",
        Effect.map(
          Effect.orDie(erasures.readErasure({ organizationId, within: undefined, id: value.id })),
          ({ state }) => (state === "done" ? true : undefined)
        )
      )
      yield* gone(canary)
      assert.deepStrictEqual(yield* sumsOf(tenant.organizationId), before)
    })
  )

  it.effect("an erasure that is broken off anywhere, and done by several at once, comes to the same end", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const { key } = yield* eraserOf(tenant)
      const canary = aCanary()
      const agent = yield* agentWith(tenant, canary)
      for (let count = 0; count < 3; count++) yield* runWith(tenant, agent, canary)
      const before = yield* counted(tenant, 3)
      const { json } = yield* api.call("POST", `/api/v1/agents/${agent}/erase`, { key })
      const payload = {
        organization_id: OrganizationId.make(tenant.organizationId),
        erasure_id: ErasureId.make(String(json["id"]))
      }
      // Each is broken off after another time, in whatever statement it is by then.
      const brokenOff = (millis: number) =>
        Effect.timeoutOption(Effect.exit(continueErasure(payload)), `${millis} millis`)
      for (let round = 0; round < 10; round++) {
        yield* Effect.forEach([1, 5, 20, 80], (millis) => brokenOff(millis * (round + 1)), { concurrency: "unbounded" })
      }
      const done = yield* until(
        "the end of it",
        Effect.map(api.call("GET", `/api/v1/erasures/${json["id"]}`, { key }), (read) =>
          String(read.json["state"]) === "done" ? read.json : undefined
        )
      )
      assert.deepInclude(done["counts"] as object, { runs: { done: 3, total: 3 }, agents: { done: 1, total: 1 } })
      yield* gone(canary)
      assert.deepStrictEqual(yield* sumsOf(tenant.organizationId), before)
    })
  )
})
