/** The stream of an organization's events. Spec: Organization webhooks. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { openStream } from "./eventStream.ts"
import { anAgent, layerWithWorkers, type Tenant, TestApi } from "./support.ts"

const STREAM = "/api/v1/org/webhooks/stream"

const opened = (key: string, headers: Record<string, string> = {}) => openStream(STREAM, { key, headers })

const aRun = Effect.fnUntraced(function* (tenant: Tenant) {
  const api = yield* TestApi
  const agent_id = yield* anAgent(tenant)
  const { json } = yield* api.call("POST", "/api/v1/runs/", {
    key: tenant.workspaceKey,
    body: { agent_id, wait_seconds: 20 }
  })
  return String(json["run_id"])
})

layer(layerWithWorkers, { excludeTestServices: true })("GET /api/v1/org/webhooks/stream", (it) => {
  const test = (title: string, body: Effect.Effect<void, never, TestApi | Scope.Scope>) =>
    it.effect(title, () => Effect.scoped(body))

  test(
    "is an event stream of what is published from now on, in whatever workspace of the organization",
    Effect.gen(function* () {
      const api = yield* TestApi
      const [tenant, stranger] = [yield* api.tenant, yield* api.tenant]
      yield* aRun(tenant)
      const { next, response } = yield* opened(tenant.orgKey)
      assert.strictEqual(response.status, 200)
      assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
      yield* aRun(stranger)
      const runs = [yield* aRun(tenant), yield* aRun(tenant)]
      for (const run of runs) {
        const frame = yield* next
        const envelope = JSON.parse(frame?.data ?? "{}")
        assert.strictEqual(frame?.event, "run.succeeded")
        assert.strictEqual(frame?.id, envelope.id)
        assert.strictEqual(envelope.type, frame?.event)
        assert.strictEqual(envelope.data.run_id, run)
        assert.match(envelope.created_at, /\+00:00$/)
      }
    })
  )

  test(
    "carries the very envelope that deliveries carry",
    Effect.gen(function* () {
      const api = yield* TestApi
      const { orgKey } = yield* api.tenant
      const endpoint = yield* api.call("POST", "/api/v1/org/webhooks", {
        key: orgKey,
        body: { url: "https://example.com/" }
      })
      const { next } = yield* opened(orgKey)
      const sent = yield* api.call("POST", `/api/v1/org/webhooks/${endpoint.json["id"]}/test`, {
        key: orgKey,
        body: {}
      })
      const frame = yield* next
      assert.strictEqual(frame?.id, String(sent.json["event_id"]))
      assert.isTrue(JSON.parse(frame?.data ?? "{}").data.test)
    })
  )

  test(
    "goes on after the event that was seen last",
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const first = yield* opened(tenant.orgKey)
      const runs = [yield* aRun(tenant), yield* aRun(tenant), yield* aRun(tenant)]
      const seen = yield* first.next
      const { next } = yield* opened(tenant.orgKey, { "last-event-id": seen?.id ?? "" })
      for (const run of runs.slice(1)) {
        assert.strictEqual(JSON.parse((yield* next)?.data ?? "{}").data.run_id, run)
      }
    })
  )

  test(
    "says where it begins, so that who is cut off before the first event misses nothing",
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      yield* aRun(tenant)
      const response = yield* api.fetch("GET", STREAM, { key: tenant.orgKey })
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
      const { value } = yield* Effect.promise(() => reader.read())
      yield* Effect.promise(() => reader.cancel())
      const [, begins = ""] = /^id: (.*)\n\n$/.exec(value ?? "") ?? []
      const missed = yield* aRun(tenant)
      const { next } = yield* opened(tenant.orgKey, { "last-event-id": begins })
      assert.strictEqual(JSON.parse((yield* next)?.data ?? "{}").data.run_id, missed)
    })
  )

  test(
    "answers 422 to what was never an event of the organization",
    Effect.gen(function* () {
      const api = yield* TestApi
      const { orgKey } = yield* api.tenant
      for (const id of ["7", "at:", "at:x", "at:9000000000000000000/00000000-0000-0000-0000-000000000000"]) {
        const { json, status } = yield* api.call("GET", STREAM, { key: orgKey, headers: { "last-event-id": id } })
        assert.strictEqual(`${status} ${json["code"]}`, "422 validation_failed", id)
        assert.strictEqual(String(json["errors"]![0]!["pointer"]), "Last-Event-ID")
      }
    })
  )

  test(
    "ends once the key is revoked",
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const made = yield* api.call("POST", "/api/v1/org/api-keys", { key: tenant.orgKey, body: { name: "x" } })
      const { next } = yield* opened(String(made.json["key"]))
      yield* api.call("DELETE", `/api/v1/org/api-keys/${made.json["id"]}`, { key: tenant.orgKey })
      assert.isUndefined(yield* next)
    })
  )

  test(
    "answers HEAD without a body",
    Effect.gen(function* () {
      const api = yield* TestApi
      const { orgKey } = yield* api.tenant
      const { status, text } = yield* api.call("HEAD", STREAM, { key: orgKey })
      assert.strictEqual(`${status} ${text}`, "200 ")
    })
  )
})
