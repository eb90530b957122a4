/** Bodies on their way in. Spec: Errors 4. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { BODY_PIECES_MAX } from "../src/edge/readBody.ts"
import { givenWebhook, sendHook } from "./inbound.ts"
import { rawRequest } from "./rawRequest.ts"
import { type Answer, anAgent, layer as layerApi, TestApi } from "./support.ts"

layer(layerApi, { excludeTestServices: true })("bodies", (it) => {
  it.effect("answer 413 when they come in chunks, too, after all of them were read", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey } = yield* api.tenant
      const chunk = "x".repeat(65_536)
      const chunks = Array.from({ length: 40 }, () => `10000\r\n${chunk}\r\n`).join("")
      const answer = yield* rawRequest(
        `POST /api/v1/agents HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n` +
          `X-API-Key: ${workspaceKey}\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`
      )
      assert.strictEqual(answer.split(" ")[1], "413")
    })
  )

  it.effect("are read after Expect: 100-continue", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey } = yield* api.tenant
      const body = JSON.stringify({ name: "x" })
      const answer = yield* rawRequest(
        `POST /api/v1/agents HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: 100-continue\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nX-API-Key: ${workspaceKey}\r\n\r\n${body}`
      )
      assert.match(answer, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 201 Created\r\n/)
    })
  )

  it.effect(
    "hold all that they may hold: the longest instructions, and the longest message beside the largest input",
    () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const { workspaceKey: key } = yield* api.tenant
        const text = "\u4e16".repeat(100_000)
        const agent = yield* api.call("POST", "/api/v1/agents", { key, body: { name: "x", instructions: text } })
        assert.strictEqual(agent.status, 201)
        const body = { agent_id: agent.json["agent_id"], message: text, input: "x".repeat(256 * 1024 - 2) }
        assert.strictEqual((yield* api.call("POST", "/api/v1/runs/", { key, body })).status, 202)
      })
  )

  it.effect("that come in thousands of pieces of a byte are answered with 413, and their connection is closed", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey } = yield* api.tenant
      const send = (pieces: number) =>
        rawRequest(
          `POST /api/v1/agents HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nX-API-Key: ${workspaceKey}\r\n` +
            `Transfer-Encoding: chunked\r\n\r\n${"1\r\n \r\n".repeat(pieces)}`
        )
      const answer = yield* send(BODY_PIECES_MAX + 1)
      assert.match(answer, /^HTTP\/1\.1 413 /)
      assert.match(answer, /\r\nconnection: close\r\n/i)
      assert.include(answer, `more than ${BODY_PIECES_MAX} pieces`)
    })
  )

  it.effect("are refused where an integer would be changed, by its place, wherever JSON is taken", () =>
    Effect.gen(function* () {
      const { agent: agent_id, api, hook, tenant } = yield* givenWebhook()
      const key = tenant.workspaceKey
      const large = "9007199254740993"
      const refusal = ({ json, status }: Answer) =>
        [status, json["code"], json["errors"]?.[0]?.pointer, json["detail"]] as ReadonlyArray<unknown>
      const refused = (pointer: string) => [
        422,
        "validation_failed",
        pointer,
        `${pointer} must be a number that is kept as it is: send integers beyond 9007199254740991, and numbers beyond 1.79e308, as text`
      ]
      const post = (path: string, raw: string) => api.call("POST", path, { key, raw })
      for (const [pointer, path, raw] of [
        ["/input/order/1/id", "runs/", `{"agent_id": "${agent_id}", "input": {"order": [1, {"id": ${large}}]}}`],
        ["/metadata/order", "runs/", `{"agent_id": "${agent_id}", "message": "x", "metadata": {"order": ${large}}}`],
        ["/data/id", `sessions/${agent_id}/messages`, `{"message": "x", "data": {"id": ${large}}}`],
        ["/tool_results/0/output", `sessions/${agent_id}/messages`, `{"tool_results": [{"output": -${large}}]}`],
        [
          "/input_schema/properties/id/maximum",
          "agents",
          `{"input_schema": {"properties": {"id": {"maximum": ${large}}}}}`
        ],
        ["/input/of~1all", "schedules", `{"input": {"of/all": 1e400}}`]
      ] as const) {
        assert.deepStrictEqual(refusal(yield* post(`/api/v1/${path}`, raw)), refused(pointer), raw)
      }
      const received = yield* sendHook(hook, undefined, { raw: `{"order": {"id": ${large}}}` })
      assert.deepStrictEqual(refusal(received), refused("/order/id"))
      const form = new URLSearchParams({ payload: `{"order": ${large}}` }).toString()
      const headers = { "content-type": "application/x-www-form-urlencoded" }
      assert.deepStrictEqual(refusal(yield* sendHook(hook, undefined, { raw: form, headers })), refused("/order"))
      // Digits that go out come in again.
      const kept = `{"agent_id": "${agent_id}", "input": [9007199254740991, 100000000000000000000, 1e300, "${large}"]}`
      const { json } = yield* post("/api/v1/runs/", kept)
      assert.deepStrictEqual(json["input"] as unknown, [9007199254740991, 1e20, 1e300, large])
    })
  )

  it.effect("may hold any JSON as a run's input, which comes back as it was", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const agent_id = yield* anAgent(tenant)
      for (const input of [null, 0, -1.5e-7, "", "é\u2028😀", [[[]]], { "": { "a/b": [1, true] } }]) {
        const { json } = yield* api.call("POST", "/api/v1/runs/", {
          key: tenant.workspaceKey,
          body: { agent_id, input }
        })
        assert.deepStrictEqual(json["input"] as unknown, input)
      }
    })
  )
})
