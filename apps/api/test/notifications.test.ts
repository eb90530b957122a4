/** The notifications of a workspace, one test a behaviour. Spec: Notifications. */
import { FeedLog, OrganizationId, UnitOfWork, WorkspaceId } from "@agent-platform/kernel"
import { aNotification } from "@agent-platform/kernel/testing"
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { UNKNOWN_ID } from "./endpoints.ts"
import { openStream } from "./eventStream.ts"
import { aPerson } from "./people.ts"
import { anAgent, type Json, layerWithWorkers, type Tenant, TestApi } from "./support.ts"

const NOTIFICATIONS = "/api/v1/notifications"
const READ = `${NOTIFICATIONS}/read`
const STREAM = `${NOTIFICATIONS}/stream`

const AT = DateTime.makeUnsafe("2026-11-21T05:15:00.123Z")

/** Posts a notice to the tenant's workspace, or to all of the organization. */
const posted = Effect.fnUntraced(function* (
  tenant: Tenant,
  whom: "workspace" | "organization" = "workspace",
  seconds = 0
) {
  const [log, unit] = [yield* FeedLog, yield* UnitOfWork]
  const notice = aNotification({
    organizationId: OrganizationId.make(tenant.organizationId),
    workspaceId: whom === "workspace" ? WorkspaceId.make(tenant.workspaceId) : null,
    createdAt: DateTime.add(AT, { seconds })
  })
  yield* unit.atomic(log.notify(notice))
  return notice
})

const itemsOf = (json: Json) => json["items"] as unknown as ReadonlyArray<Readonly<Record<string, unknown>>>

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

  it.effect("tells of a run that failed and of one that waits, with their ids", () =>
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

  it.effect("takes no parameters", () =>
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

  it.effect("answers 422 unless it is told either which or all", () =>
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

layer(layerWithWorkers, { excludeTestServices: true })("GET /api/v1/notifications/stream", (it) => {
  const opened = (tenant: Tenant, headers: Record<string, string> = {}) =>
    openStream(STREAM, { key: tenant.workspaceKey, headers })

  it.effect("is an event stream of what is posted to the workspace from now on", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const [tenant, stranger] = [yield* api.tenant, yield* api.tenant]
      yield* posted(tenant)
      const { next, response } = yield* opened(tenant)
      assert.strictEqual(response.status, 200)
      assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
      yield* posted(stranger)
      const notices = [yield* posted(tenant, "workspace", 1), yield* posted(tenant, "organization", 2)]
      for (const notice of notices) {
        const frame = yield* next
        assert.strictEqual(frame?.event, notice.type)
        const data = JSON.parse(frame?.data ?? "{}")
        assert.deepInclude(data, { id: notice.id, read: false, created_at: DateTime.formatIso(notice.createdAt) })
      }
      assert.deepStrictEqual(
        itemsOf((yield* list(tenant)).json)
          .map((item) => String(item["id"]))
          .slice(0, 2),
        notices.toReversed().map(({ id }) => id as string)
      )
    }).pipe(Effect.scoped)
  )

  it.effect("goes on after the event that was seen last", () =>
    Effect.gen(function* () {
      const tenant = yield* Effect.flatMap(TestApi, (api) => api.tenant)
      const first = yield* opened(tenant)
      const notices = []
      for (let seconds = 0; seconds < 4; seconds++) {
        notices.push(yield* posted(tenant, seconds % 2 === 0 ? "workspace" : "organization", seconds))
      }
      const frames = []
      for (const _ of notices) frames.push(yield* first.next)
      for (const [index, frame] of frames.slice(0, 3).entries()) {
        const { next } = yield* opened(tenant, { "last-event-id": frame?.id ?? "" })
        for (const notice of notices.slice(index + 1)) {
          assert.strictEqual(JSON.parse((yield* next)?.data ?? "{}").id, notice.id)
        }
      }
    }).pipe(Effect.scoped)
  )

  it.effect("answers 422 to what was never an event of the stream", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      yield* posted(tenant)
      for (const id of [UNKNOWN_ID, "1", "2.0", "0.1", "-1.0", `${"9".repeat(16)}.0`]) {
        const headers = { "last-event-id": id }
        const { json, status } = yield* api.call("GET", STREAM, { key: tenant.workspaceKey, headers })
        assert.strictEqual(`${status} ${json["code"]}`, "422 validation_failed", id)
        assert.strictEqual(String(json["errors"]![0]!["pointer"]), "Last-Event-ID")
      }
    })
  )

  it.effect("ends once the key is revoked, and once a person is logged out", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const made = yield* api.call("POST", "/api/v1/auth/api-keys", { key: tenant.workspaceKey, body: { name: "x" } })
      const byKey = yield* openStream(STREAM, { key: String(made.json["key"]) })
      const person = yield* aPerson(tenant, "viewer")
      const inWorkspace = { "x-workspace-id": tenant.workspaceId }
      const bySession = yield* openStream(STREAM, { headers: { ...person.headers, ...inWorkspace } })
      assert.strictEqual(bySession.response.status, 200)
      yield* api.call("DELETE", `/api/v1/auth/api-keys/${made.json["id"]}`, { key: tenant.workspaceKey })
      yield* api.call("POST", "/api/v1/auth/logout", { headers: person.unsafe })
      assert.isUndefined(yield* byKey.next)
      assert.isUndefined(yield* bySession.next)
    }).pipe(Effect.scoped)
  )

  it.effect("answers HEAD without a body", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey: key } = yield* api.tenant
      const { status, text } = yield* api.call("HEAD", STREAM, { key })
      assert.strictEqual(`${status} ${text}`, "200 ")
    })
  )
})
