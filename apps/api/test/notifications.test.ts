/** The notifications of a workspace, one test a behaviour. Spec: Notifications. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { UNKNOWN_ID } from "./endpoints.ts"
import { itemsOf, posted } from "./notices.ts"
import { anAgent, layerWithWorkers, type Tenant, TestApi } from "./support.ts"

const NOTIFICATIONS = "/api/v1/notifications"
const READ = `${NOTIFICATIONS}/read`

const list = (tenant: Tenant) =>
  Effect.flatMap(TestApi, (api) => api.call("GET", NOTIFICATIONS, { key: tenant.workspaceKey }))

const mark = (tenant: Tenant, body: unknown) =>
  Effect.flatMap(TestApi, (api) => api.call("POST", READ, { key: tenant.workspaceKey, body }))

/** Another workspace of the tenant's organization. */
const siblingOf = Effect.fnUntraced(function* (tenant: Tenant) {
  const api = yield* TestApi
  const { json } = yield* api.call("POST", "/api/v1/org/workspaces", { key: tenant.orgKey, body: { name: "Sibling" } })
  const workspaceId = String(json["id"])
  const sibling: Tenant = { ...tenant, workspaceId, workspaceKey: yield* api.keyWith({ ...tenant, workspaceId }, {}) }
  return sibling
})

layer(layerWithWorkers, { excludeTestServices: true })("GET /api/v1/notifications", (it) => {
  it.effect(
    "answers 200 with the notices to the workspace and to its organization, newest first, as the spec shows them",
    () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const [tenant, stranger] = [yield* api.tenant, yield* api.tenant]
        const older = yield* posted(tenant)
        const newer = yield* posted(tenant, "organization", 1)
        yield* posted(stranger)
        yield* posted(stranger, "organization")
        const { json, status } = yield* list(tenant)
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(json as unknown, {
          items: [newer, older].map(({ body, createdAt, id, payload, title, type }) => ({
            id,
            type,
            title,
            body,
            payload,
            read: false,
            created_at: DateTime.formatIso(createdAt)
          })),
          unread_count: 2
        })
      })
  )

  it.effect("shows the 50 most recent and counts all", () =>
    Effect.gen(function* () {
      const tenant = yield* Effect.flatMap(TestApi, (api) => api.tenant)
      const notices = []
      for (let seconds = 0; seconds < 53; seconds++) notices.push(yield* posted(tenant, "workspace", seconds))
      const { json } = yield* list(tenant)
      assert.deepStrictEqual(
        itemsOf(json).map(({ id }) => String(id)),
        notices
          .slice(3)
          .reverse()
          .map(({ id }) => id as string)
      )
      assert.strictEqual(Number(json["unread_count"]), 53)
    })
  )

  it.effect("closes the notice of a question with its answer, and with its cancellation", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const key = tenant.workspaceKey
      const agent_id = yield* anAgent(tenant)
      const unread = Effect.map(list(tenant), ({ json }) => Number(json["unread_count"]))
      for (const rest of ["messages", "cancel"]) {
        const asking = { agent_id, input: { steps: [{ ask: "Shall I?" }] }, wait_seconds: 20 }
        const { json } = yield* api.call("POST", "/api/v1/runs/", { key, body: asking })
        assert.strictEqual(yield* unread, 1)
        const body = rest === "messages" ? { message: "Yes", wait_seconds: 20 } : {}
        yield* api.call("POST", `/api/v1/sessions/${json["session_id"]}/${rest}`, { key, body })
        assert.strictEqual(yield* unread, 0)
      }
    })
  )

  it.effect("shows an agent's eleventh failure and those that follow as one, and the notices of a filter", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const agent_id = yield* anAgent(tenant)
      const body = { agent_id, input: { steps: [{ fail: "out of words" }] }, wait_seconds: 20 }
      const failing = api.call("POST", "/api/v1/runs/", { key: tenant.workspaceKey, body })
      yield* Effect.forEach(Array.from({ length: 14 }), () => failing, { concurrency: 7 })
      const { json } = yield* list(tenant)
      assert.strictEqual(Number(json["unread_count"]), 11)
      const counts = itemsOf(json).map(({ payload }) => (payload as { count?: number }).count)
      assert.sameMembers(counts, [4, ...Array.from({ length: 10 }, () => undefined)])
      const shown = (query: string) =>
        Effect.map(api.call("GET", `${NOTIFICATIONS}?${query}`, { key: tenant.workspaceKey }), (answer) =>
          answer.status === 200 ? itemsOf(answer.json).length : answer.status
        )
      assert.strictEqual(yield* shown("type=run.failed&read=false&since=2026-01-01T00:00:00Z"), 11)
      assert.strictEqual(yield* shown("type=run.paused"), 0)
      assert.strictEqual(yield* shown("read=true"), 0)
      assert.strictEqual(yield* shown("since="), 11)
      assert.strictEqual(yield* shown("type=unknown"), 422)
      assert.strictEqual(yield* shown("limit=3"), 422)
    })
  )

  it.effect("reports a run that failed and one that waits, with their ids", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const agent_id = yield* anAgent(tenant)
      for (const step of [{ fail: "out of words" }, { ask: "Shall I?" }]) {
        const body = { agent_id, input: { steps: [step] }, wait_seconds: 20 }
        const { json } = yield* api.call("POST", "/api/v1/runs/", { key: tenant.workspaceKey, body })
        const [notice] = itemsOf((yield* list(tenant)).json)
        assert.strictEqual(String(notice?.["type"]), "fail" in step ? "run.failed" : "run.paused")
        assert.deepInclude(notice?.["payload"] as object, { run_id: json["run_id"], session_id: json["session_id"] })
      }
    })
  )

  it.effect("takes no other parameters", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey: key } = yield* api.tenant
      const { json, status } = yield* api.call("GET", `${NOTIFICATIONS}?limit=5`, { key })
      assert.strictEqual(`${status} ${json["code"]}`, "422 unknown_parameter")
    })
  )
})

layer(layerWithWorkers, { excludeTestServices: true })("POST /api/v1/notifications/read", (it) => {
  it.effect("marks the notices that it names, once, and answers what is unread", () =>
    Effect.gen(function* () {
      const tenant = yield* Effect.flatMap(TestApi, (api) => api.tenant)
      const [one, two] = [yield* posted(tenant), yield* posted(tenant, "organization", 1)]
      yield* posted(tenant, "workspace", 2)
      for (let time = 0; time < 2; time++) {
        const { json, status } = yield* mark(tenant, { ids: [one.id, two.id, two.id] })
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(json as unknown, { unread_count: 1 })
      }
      const { json } = yield* list(tenant)
      assert.deepStrictEqual(
        itemsOf(json).map(({ read }) => read === true),
        [false, true, true]
      )
    })
  )

  it.effect("marks all that there are, for this workspace alone", () =>
    Effect.gen(function* () {
      const tenant = yield* Effect.flatMap(TestApi, (api) => api.tenant)
      const sibling = yield* siblingOf(tenant)
      yield* posted(tenant)
      yield* posted(tenant, "organization")
      yield* posted(sibling)
      assert.deepStrictEqual((yield* mark(tenant, { all: true })).json as unknown, { unread_count: 0 })
      assert.strictEqual(Number((yield* list(sibling)).json["unread_count"]), 2)
      yield* posted(tenant)
      assert.strictEqual(Number((yield* list(tenant)).json["unread_count"]), 1)
    })
  )

  it.effect("changes nothing for ids of strangers, unknown ones and what is no id", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const [tenant, stranger] = [yield* api.tenant, yield* api.tenant]
      yield* posted(tenant)
      const foreign = yield* posted(stranger)
      const { json, status } = yield* mark(tenant, { ids: [foreign.id, UNKNOWN_ID, "nonsense", ""] })
      assert.strictEqual(`${status} ${json["unread_count"]}`, "200 1")
      assert.strictEqual(Number((yield* list(stranger)).json["unread_count"]), 1)
    })
  )

  it.effect("answers 422 unless it names either some or all", () =>
    Effect.gen(function* () {
      const tenant = yield* Effect.flatMap(TestApi, (api) => api.tenant)
      const many = Array.from({ length: 101 }, () => UNKNOWN_ID)
      for (const body of [
        {},
        { ids: [] },
        { ids: many },
        { all: false },
        { all: true, ids: [UNKNOWN_ID] },
        { all: null }
      ]) {
        const { json, status } = yield* mark(tenant, body)
        assert.strictEqual(`${status} ${json["code"]}`, "422 validation_failed", JSON.stringify(body).slice(0, 40))
      }
    })
  )
})
