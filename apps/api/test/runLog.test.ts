import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { anAgent, type Json, layerWithWorkers, type Tenant, TestApi } from "./support.ts"

interface Frame {
  readonly id: string
  readonly event: string
  readonly data: Json
}

const framesOf = (text: string): ReadonlyArray<Frame> =>
  text
    .split("\n\n")
    .filter((block) => block !== "" && !block.startsWith(":"))
    .map((block) => {
      const fields = Object.fromEntries(
        block.split("\n").map((line) => {
          const colon = line.indexOf(": ")
          return [line.slice(0, colon), line.slice(colon + 2)]
        })
      )
      return { id: fields["id"] ?? "", event: fields["event"] ?? "", data: JSON.parse(fields["data"] ?? "null") }
    })

const trigger = Effect.fnUntraced(function* (tenant: Tenant, steps: unknown, waitSeconds = 20) {
  const api = yield* TestApi
  const agent_id = yield* anAgent(tenant)
  const { json } = yield* api.call("POST", "/api/v1/runs/", {
    key: tenant.workspaceKey,
    body: { agent_id, input: { steps }, wait_seconds: waitSeconds }
  })
  return `/api/v1/runs/${json["run_id"]}/logs`
})

const HELLO = [{ say: "Hello " }, { say: "there" }, { return: 1 }]
const TYPES = ["run.queued", "run.started", "message.delta", "message.delta", "message.completed", "run.succeeded"]

layer(layerWithWorkers, { excludeTestServices: true })("GET /api/v1/runs/{run_id}/logs", (it) => {
  describe("as an event stream", () => {
    it.effect("is what comes by default: the whole log in order, and then the end", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const path = yield* trigger(tenant, HELLO)
        for (const accept of ["*/*", "text/event-stream", "text/*", "application/json;q=0.5, text/event-stream"]) {
          const { headers, status, text } = yield* api.call("GET", path, {
            key: tenant.workspaceKey,
            headers: { accept }
          })
          assert.strictEqual(status, 200)
          assert.strictEqual(headers.get("content-type"), "text/event-stream")
          const frames = framesOf(text)
          assert.deepStrictEqual(
            frames.map(({ event }) => event),
            TYPES
          )
          assert.deepStrictEqual(
            frames.map(({ id }) => id),
            ["1", "2", "3", "4", "5", "6"]
          )
          for (const { data, event, id } of frames) {
            assert.strictEqual(String(data["type"]), event)
            assert.strictEqual(String(data["seq"]), id)
            assert.strictEqual(path, `/api/v1/runs/${data["run_id"]}/logs`)
          }
        }
      })
    )

    it.effect("is the same while the run is going on", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const path = yield* trigger(tenant, [{ say: "a" }, { sleep_ms: 100 }, { say: "b" }], 0)
        const during = yield* api.call("GET", path, { key: tenant.workspaceKey })
        const after = yield* api.call("GET", path, { key: tenant.workspaceKey })
        assert.strictEqual(during.text, after.text)
        assert.deepStrictEqual(
          framesOf(after.text).map(({ event }) => event),
          TYPES
        )
      })
    )

    it.effect("goes on after what was seen: Last-Event-ID first, then `after`", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const path = yield* trigger(tenant, HELLO)
        const seqs = (address: string, headers: Record<string, string> = {}) =>
          Effect.map(api.call("GET", address, { key: tenant.workspaceKey, headers }), ({ text }) =>
            framesOf(text).map(({ id }) => Number(id))
          )
        assert.deepStrictEqual(yield* seqs(`${path}?after=4`), [5, 6])
        assert.deepStrictEqual(yield* seqs(`${path}?after=1`, { "last-event-id": "5" }), [6])
        assert.deepStrictEqual(yield* seqs(path, { "last-event-id": "6" }), [])
        assert.deepStrictEqual(yield* seqs(path, { "last-event-id": "99" }), [])
        assert.deepStrictEqual(yield* seqs(`${path}?after=5`, { "last-event-id": "" }), [6])
      })
    )

    it.effect("answers 422 to places in the log that are none", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const path = yield* trigger(tenant, HELLO)
        const header = yield* api.call("GET", path, { key: tenant.workspaceKey, headers: { "last-event-id": "abc" } })
        assert.strictEqual(header.status, 422)
        assert.strictEqual(String(header.json["errors"]![0]!["pointer"]), "Last-Event-ID")
        const query = yield* api.call("GET", `${path}?after=-1`, { key: tenant.workspaceKey })
        assert.strictEqual(query.status, 422)
      })
    )

    it.effect("sends its headers before anything has happened, and ends once the key is revoked", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const path = yield* trigger(tenant, [{ sleep_ms: 60_000 }], 0)
        const made = yield* api.call("POST", "/api/v1/auth/api-keys", { key: tenant.workspaceKey, body: { name: "x" } })
        const response = yield* api.fetch("GET", `${path}?after=2`, { key: String(made.json["key"]) })
        assert.strictEqual(response.status, 200)
        yield* api.call("DELETE", `/api/v1/auth/api-keys/${made.json["id"]}`, { key: tenant.workspaceKey })
        assert.deepStrictEqual(framesOf(yield* Effect.promise(() => response.text())), [])
      })
    )
  })

  it.effect("ends once the scope to read it is taken from the key", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const path = yield* trigger(tenant, [{ sleep_ms: 60_000 }], 0)
      const made = yield* api.call("POST", "/api/v1/auth/api-keys", { key: tenant.workspaceKey, body: { name: "x" } })
      const response = yield* api.fetch("GET", `${path}?after=2`, { key: String(made.json["key"]) })
      assert.strictEqual(response.status, 200)
      yield* api.call("PATCH", `/api/v1/auth/api-keys/${made.json["id"]}`, {
        key: tenant.workspaceKey,
        body: { scopes: ["agents:read"] }
      })
      assert.deepStrictEqual(framesOf(yield* Effect.promise(() => response.text())), [])
    })
  )

  describe("as lines of JSON", () => {
    it.effect("is the same log", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const path = yield* trigger(tenant, HELLO)
        const { headers, text } = yield* api.call("GET", `${path}?after=2`, {
          key: tenant.workspaceKey,
          headers: { accept: "application/x-ndjson" }
        })
        assert.strictEqual(headers.get("content-type"), "application/x-ndjson")
        const types = text
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line).type)
        assert.deepStrictEqual(types, TYPES.slice(2))
      })
    )
  })

  describe("as a page of JSON", () => {
    const json = { accept: "application/json" }

    it.effect("answers 200 with the items, the last sequence number and a cursor for more", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const path = yield* trigger(tenant, HELLO)
        const call = { key: tenant.workspaceKey, headers: json }
        const whole = yield* api.call("GET", path, call)
        assert.strictEqual(whole.status, 200)
        assert.strictEqual(Number(whole.json["last_seq"]), 6)
        assert.isNull(whole.json["next_cursor"])
        const first = yield* api.call("GET", `${path}?limit=4`, call)
        assert.strictEqual(Number(first.json["last_seq"]), 6)
        const rest = yield* api.call("GET", `${path}?limit=4&cursor=${first.json["next_cursor"]}`, call)
        assert.deepStrictEqual(
          [
            ...(first.json["items"] as unknown as ReadonlyArray<unknown>),
            ...(rest.json["items"] as unknown as ReadonlyArray<unknown>)
          ],
          whole.json["items"] as unknown
        )
        assert.isNull(rest.json["next_cursor"])
      })
    )

    it.effect("answers 422 to a cursor made with another filter, and to another run's", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const path = yield* trigger(tenant, HELLO)
        const other = yield* trigger(tenant, HELLO)
        const call = { key: tenant.workspaceKey, headers: json }
        const first = yield* api.call("GET", `${path}?limit=1&after=1`, call)
        const cursor = String(first.json["next_cursor"])
        for (const address of [
          `${path}?cursor=${cursor}`,
          `${path}?after=2&cursor=${cursor}`,
          `${other}?after=1&cursor=${cursor}`
        ]) {
          const answer = yield* api.call("GET", address, call)
          assert.strictEqual(answer.status, 422)
          assert.strictEqual(String(answer.json["code"]), "cursor_filter_mismatch")
        }
        const same = yield* api.call("GET", `${path}?after=1&cursor=${cursor}`, call)
        assert.strictEqual(same.status, 200)
      })
    )
  })
})
