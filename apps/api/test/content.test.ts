/** Images and files beside messages, as the API takes them. */
import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect } from "effect"
import { layer, TestApi } from "./support.ts"

const RUNS = "/api/v1/runs/"

const image = { type: "image", media_type: "image/png", data: "AAAA" }

describe("The content of a run", () => {
  suite(layer, { excludeTestServices: true })((it) => {
    it.effect("is taken beside its message, up to 4 MiB of base64, and shown nowhere", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey: key } = yield* api.tenant
        const agent_id = String(
          (yield* api.call("POST", "/api/v1/agents", { key, body: { name: "A" } })).json["agent_id"]
        )
        const data = "AAAA".repeat(1024 * 1024)
        const content = [
          { type: "text", text: "Look" },
          { ...image, data }
        ]
        const created = yield* api.call("POST", RUNS, { key, body: { agent_id, message: "Hello", content } })
        assert.strictEqual(created.status, 202)
        const messages = `/api/v1/sessions/${created.json["session_id"]}/messages`
        const file = {
          type: "file",
          url: "https://example.com/a.pdf",
          media_type: "application/pdf",
          filename: "a.pdf"
        }
        const reply = yield* api.call("POST", messages, { key, body: { message: "And?", content: [file] } })
        assert.strictEqual(reply.status, 202)
        for (const path of [RUNS, messages, `${RUNS}${created.json["run_id"]}`]) {
          assert.isBelow((yield* api.call("GET", path, { key })).text.length, 20_000)
        }
        const log = yield* api.call("GET", `${RUNS}${created.json["run_id"]}/logs`, {
          key,
          headers: { accept: "application/json" }
        })
        assert.isBelow(log.text.length, 20_000)
      })
    )

    it.effect("is 422 where it has another form, points at the part, and 413 where it is larger", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey: key } = yield* api.tenant
        const agent_id = String(
          (yield* api.call("POST", "/api/v1/agents", { key, body: { name: "A" } })).json["agent_id"]
        )
        const send = (body: object) => api.call("POST", RUNS, { key, body: { agent_id, message: "Hello", ...body } })
        const cases: ReadonlyArray<readonly [pointer: string, body: object]> = [
          ["/message", { message: null, content: [image] }],
          ["/content", { content: Array.from({ length: 21 }, () => image) }],
          ["/content", { content: [image, { ...image, data: "AAAA".repeat(1024 * 1024) }] }],
          ["/content/0/type", { content: [{ type: "video" }] }],
          ["/content/0/type", { content: [{ type: 7 }] }],
          ["/content/0/type", { content: [{ text: "Hello" }] }],
          ["/content/0", { content: ["Hello"] }],
          ["/content/0/data", { content: [{ ...image, data: "AAA" }] }],
          ["/content/0/data", { content: [{ ...image, url: "https://example.com/a.png" }] }],
          ["/content/0/media_type", { content: [{ type: "image", data: "AAAA" }] }],
          ["/content/0/media_type", { content: [{ ...image, media_type: "image/svg+xml" }] }],
          ["/content/0/url", { content: [{ type: "image", url: "http://example.com/a.png" }] }]
        ]
        for (const [pointer, body] of cases) {
          const { json, status } = yield* send(body)
          assert.strictEqual(status, 422, pointer)
          const [error] = json["errors"] as unknown as ReadonlyArray<Record<string, string>>
          assert.strictEqual(error?.["pointer"], pointer)
        }
        const large = { ...image, data: "AAAA".repeat(1_400_000) }
        assert.strictEqual((yield* send({ content: [large] })).status, 413)
      })
    )
  })
})
