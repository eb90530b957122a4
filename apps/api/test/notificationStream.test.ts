/** The stream of a workspace's notifications. Spec: Notifications. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { UNKNOWN_ID } from "./endpoints.ts"
import { openStream } from "./eventStream.ts"
import { itemsOf, posted } from "./notices.ts"
import { aPerson } from "./people.ts"
import { layer as layerApi, type Tenant, TestApi } from "./support.ts"

const STREAM = "/api/v1/notifications/stream"

layer(layerApi, { excludeTestServices: true })("GET /api/v1/notifications/stream", (it) => {
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
        itemsOf((yield* api.call("GET", "/api/v1/notifications", { key: tenant.workspaceKey })).json)
          .map((item) => String(item["id"]))
          .slice(0, 2),
        notices.toReversed().map(({ id }) => id as string)
      )
    }).pipe(Effect.scoped)
  )

  it.effect("says how many are unread where some have become read", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const { id } = yield* posted(tenant)
      yield* posted(tenant)
      const { next } = yield* opened(tenant)
      yield* api.call("POST", "/api/v1/notifications/read", { key: tenant.workspaceKey, body: { ids: [id] } })
      const frame = yield* next
      assert.deepStrictEqual([frame?.event, JSON.parse(frame?.data ?? "")], ["read", { unread_count: 1 }])
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

  it.effect("says where it begins, so that who is cut off before the first event misses nothing", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      yield* posted(tenant)
      const response = yield* api.fetch("GET", STREAM, { key: tenant.workspaceKey })
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
      const { value } = yield* Effect.promise(() => reader.read())
      yield* Effect.promise(() => reader.cancel())
      const [, begins = ""] = /^id: (.*)\n\n$/.exec(value ?? "") ?? []
      const missed = yield* posted(tenant)
      const { next } = yield* opened(tenant, { "last-event-id": begins })
      assert.strictEqual(JSON.parse((yield* next)?.data ?? "{}").id, missed.id)
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
