/** Replies to runs that are paused on calls of tools: what is refused, and what the run that takes them up gets. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { inSession, play } from "./sessionSupport.ts"
import { layerWithWorkers, TestApi } from "./support.ts"

const call = (tool_call_id: string) => ({ tool_call_id, name: "find_order", input: { id: 7 } })

/** A session with a run that is paused on calls of this kind. */
const pausedOn = Effect.fnUntraced(function* (type: "tool_calls" | "approvals", ...ids: ReadonlyArray<string>) {
  const tenant = yield* (yield* TestApi).tenant
  const paused = yield* play(tenant, [{ ask: "Well?", interrupt: { type, calls: ids.map(call) } }])
  return { paused, session: yield* inSession(tenant, paused["session_id"]) }
})

layer(layerWithWorkers, { excludeTestServices: true })("replies to calls", (it) => {
  describe("POST /api/v1/sessions/{session_id}/messages", () => {
    it.effect("answers 202 to results of tools without a message, which the run has as its input", () =>
      Effect.gen(function* () {
        const { paused, session } = yield* pausedOn("tool_calls", "a", "b")
        const tool_results = [
          { tool_call_id: "b", output: { state: ["sent"] } },
          { tool_call_id: "a", error: "No such order" }
        ]
        const { json, status } = yield* session.reply({ tool_results, wait_seconds: 20 })
        assert.strictEqual(status, 202)
        assert.deepInclude(json["run"] as object, {
          status: "succeeded",
          resumes_run_id: paused["run_id"],
          prompt: null,
          input: { decision: null, data: null, tool_results }
        })
      })
    )

    it.effect("answers 202 to decisions, beside a message or alone", () =>
      Effect.gen(function* () {
        const { session } = yield* pausedOn("approvals", "a", "b")
        const approvals = [
          { tool_call_id: "a", decision: "approve", input: { id: 8 } },
          { tool_call_id: "b", decision: "deny", reason: "Too much" }
        ]
        const { json, status } = yield* session.reply({ message: "So be it", decision: "partly", approvals })
        assert.strictEqual(status, 202)
        const input = { decision: "partly", data: null, approvals }
        assert.deepInclude(json["run"] as object, { prompt: "So be it", input })
      })
    )

    it.effect("answers 422 with a pointer to what does not go with the calls that wait", () =>
      Effect.gen(function* () {
        const { session } = yield* pausedOn("tool_calls", "a", "b")
        const result = (tool_call_id: string) => ({ tool_call_id, output: 1 })
        const cases = [
          [{}, "/message"],
          [{ tool_results: [] }, "/tool_results"],
          [{ tool_results: [result("z")] }, "/tool_results/0/tool_call_id"],
          [{ tool_results: [result("a"), result("b"), result("a")] }, "/tool_results/2/tool_call_id"],
          [{ tool_results: [{ tool_call_id: "a" }] }, "/tool_results/0/output"],
          [{ tool_results: [{ ...result("a"), error: "No" }] }, "/tool_results/0/output"],
          [{ tool_results: [{ tool_call_id: "a", output: "x".repeat(65_537) }] }, "/tool_results/0/output"],
          [{ tool_results: [result("a")], data: 1 }, "/data"],
          [{ approvals: [{ tool_call_id: "a", decision: "approve" }] }, "/approvals"],
          [{ approvals: [{ tool_call_id: "a", decision: "deny", input: {} }] }, "/approvals/0/input"]
        ] as const
        for (const [body, pointer] of cases) {
          const { json, status } = yield* session.reply(body)
          const errors = json["errors"] as unknown as ReadonlyArray<{ readonly pointer: string }>
          assert.deepStrictEqual(
            [status, ...errors.map((error) => error.pointer)],
            [422, pointer],
            JSON.stringify(body)
          )
        }
        assert.strictEqual((yield* session.reply({ tool_results: [result("a"), result("b")] })).status, 202)
      })
    )

    it.effect("answers 422 to results that no question waits for", () =>
      Effect.gen(function* () {
        const tenant = yield* (yield* TestApi).tenant
        const done = yield* play(tenant, [{ return: 1 }])
        const session = yield* inSession(tenant, done["session_id"])
        const { json, status } = yield* session.reply({ tool_results: [{ tool_call_id: "a", output: 1 }] })
        assert.deepStrictEqual([status, String(json["code"])], [422, "validation_failed"])
      })
    )
  })
})
