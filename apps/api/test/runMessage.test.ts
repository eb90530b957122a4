/** A run's log as a message of the AI SDK, over HTTP. */
import { createClient, MESSAGE_DONE } from "@agent-platform/client"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { anAgent, layerWithWorkers, type Tenant, TestApi } from "./support.ts"

const framesOf = (text: string) =>
  text
    .split("\n\n")
    .filter((block) => block !== "" && !block.startsWith(":"))
    .map((block) => {
      const [, id = "", data = ""] = /^id: (.*)\ndata: (.*)$/s.exec(block) ?? []
      return { id, data }
    })

const STEPS = [{ say: "Hello " }, { say: "there" }, { ask: "Shall I?", interrupt: { amount: 40 } }]

const trigger = Effect.fnUntraced(function* (tenant: Tenant, steps: unknown = STEPS) {
  const api = yield* TestApi
  const agent_id = yield* anAgent(tenant)
  const body = { agent_id, input: { steps }, wait_seconds: 20 }
  const { json } = yield* api.call("POST", "/api/v1/runs/", { key: tenant.workspaceKey, body })
  const runId = String(json["run_id"])
  return { runId, path: `/api/v1/runs/${runId}/logs?format=ui-message` }
})

layer(layerWithWorkers, { excludeTestServices: true })("GET /api/v1/runs/{run_id}/logs?format=ui-message", (it) => {
  describe("as a stream", () => {
    it.effect("has the protocol's header, one chunk a frame, and its end", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { path, runId } = yield* trigger(tenant)
        const { headers, status, text } = yield* api.call("GET", path, { key: tenant.workspaceKey })
        assert.strictEqual(status, 200)
        assert.strictEqual(headers.get("content-type"), "text/event-stream")
        assert.strictEqual(headers.get("x-vercel-ai-ui-message-stream"), "v1")
        const frames = framesOf(text)
        assert.strictEqual(frames.at(-1)?.data, MESSAGE_DONE)
        const chunks = frames.slice(0, -1).map(({ data }) => JSON.parse(data))
        assert.deepStrictEqual(
          chunks.map(({ type }) => type),
          [
            ...[
              "start",
              "data-status",
              "data-status",
              "start-step",
              "text-start",
              "text-delta",
              "text-delta",
              "text-end"
            ],
            ...["text-start", "text-delta", "text-end", "data-question", "finish-step", "message-metadata", "finish"]
          ]
        )
        assert.strictEqual(chunks[0].messageId, runId)
      })
    )

    it.effect("goes on behind the very chunk that was seen last, wherever it broke off", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { path } = yield* trigger(tenant)
        const whole = framesOf((yield* api.call("GET", path, { key: tenant.workspaceKey })).text)
        assert.strictEqual(new Set(whole.slice(0, -1).map(({ id }) => id)).size, whole.length - 1)
        for (const [place, { id }] of whole.slice(0, -1).entries()) {
          const { text } = yield* api.call("GET", path, { key: tenant.workspaceKey, headers: { "last-event-id": id } })
          assert.deepStrictEqual(framesOf(text), whole.slice(place + 1), id)
        }
      })
    )

    it.effect("is refused where the place or the format is none of its own", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { path } = yield* trigger(tenant)
        const codeOf = (address: string, headers: Record<string, string> = {}) =>
          Effect.map(api.call("GET", address, { key: tenant.workspaceKey, headers }), ({ json, status }) => [
            status,
            String(json["code"])
          ])
        for (const id of ["abc", "1.", "1.2.3", "-1", "9999999999"])
          assert.deepStrictEqual(yield* codeOf(path, { "last-event-id": id }), [422, "validation_failed"], id)
        assert.deepStrictEqual(yield* codeOf(path, { accept: "application/json" }), [406, "not_acceptable"])
        assert.deepStrictEqual(yield* codeOf(path.replace("ui-message", "other")), [422, "validation_failed"])
        const stranger = yield* api.tenant
        const foreign = yield* api.call("GET", path, { key: stranger.workspaceKey })
        assert.strictEqual(foreign.status, 404)
      })
    )

    it.effect("is followed by the client to its end, with a browser key, too", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const tenant = yield* api.tenant
        const { runId } = yield* trigger(tenant, [{ say: "Hi" }, { fail: "No" }])
        const backend = createClient({ baseUrl: api.url, apiKey: tenant.workspaceKey })
        const types = yield* Effect.promise(async () => {
          const made = await backend.runs.createRunBrowserKey({ params: { run_id: runId }, body: {} })
          const page = createClient({ baseUrl: api.url, apiKey: made.key ?? "" })
          const found: Array<string> = []
          for await (const { type } of page.followRunMessage(runId)) found.push(type)
          return found
        })
        assert.deepStrictEqual(types.slice(-3), ["message-metadata", "error", "finish"])
      })
    )
  })
})
