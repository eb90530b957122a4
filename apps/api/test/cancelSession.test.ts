import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { aRunningRun, ask, inSession, play, RUNS } from "./sessionSupport.ts"
import { layerWithWorkers, TestApi } from "./support.ts"

layer(layerWithWorkers, { excludeTestServices: true })("sessions that are cancelled", (it) => {
  describe("POST /api/v1/sessions/{session_id}/cancel", () => {
    it.effect("answers 202 with what it cancelled and what is to be, and the running work stops", () =>
      Effect.gen(function* () {
        const tenant = yield* (yield* TestApi).tenant
        const { runId, sessionId } = yield* aRunningRun(tenant)
        const behind = yield* play(tenant, [{ return: 1 }], { session_id: sessionId, wait_seconds: 0 })
        const session = yield* inSession(tenant, sessionId)
        const { json, status } = yield* session.cancel({ reason: "Wrong customer" })
        assert.strictEqual(status, 202)
        assert.deepStrictEqual(json["cancelled"] as unknown, [{ run_id: behind["run_id"], status: "cancelled" }])
        assert.strictEqual(String(json["requested"]![0]!["run_id"]), runId)
        assert.strictEqual(String(json["requested"]![0]!["status"]), "running")
        const ended = (yield* session.run(runId)).json
        assert.deepInclude(ended as object, {
          status: "cancelled",
          result: null,
          error: null,
          cancel_requested_at: json["requested"]![0]!["cancel_requested_at"]
        })
        const log = yield* (yield* TestApi).call("GET", `${RUNS}${runId}/logs`, {
          key: tenant.workspaceKey,
          headers: { accept: "application/json" }
        })
        const events = (log.json["items"] as unknown as ReadonlyArray<{ type: string; data: unknown }>).slice(-2)
        assert.deepStrictEqual(
          events.map(({ data, type }) => [type, data]),
          [
            ["cancel.requested", { reason: "Wrong customer", mode: "graceful" }],
            ["run.cancelled", {}]
          ]
        )
      })
    )

    it.effect("answers 202 with the running run cancelled already when it is to be immediate", () =>
      Effect.gen(function* () {
        const tenant = yield* (yield* TestApi).tenant
        const { runId, sessionId } = yield* aRunningRun(tenant)
        const session = yield* inSession(tenant, sessionId)
        const { json, status } = yield* session.cancel({ mode: "immediate" })
        assert.strictEqual(status, 202)
        assert.deepStrictEqual(json["cancelled"] as unknown, [{ run_id: runId, status: "cancelled" }])
        assert.isEmpty(json["requested"])
        assert.strictEqual(String((yield* session.run(runId)).json["status"]), "cancelled")
      })
    )

    it.effect("answers 200 with empty lists when nothing is active, and the second time", () =>
      Effect.gen(function* () {
        const tenant = yield* (yield* TestApi).tenant
        const done = yield* play(tenant, [{ return: 1 }])
        const session = yield* inSession(tenant, done["session_id"])
        const { json, status } = yield* session.cancel()
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(json as object, {
          session_id: done["session_id"],
          cancelled: [],
          requested: [],
          closed_questions: []
        })
        assert.strictEqual(String((yield* session.run(done["run_id"])).json["status"]), "succeeded")
      })
    )

    it.effect("closes an open question: the run keeps its state, and a reply answers 409", () =>
      Effect.gen(function* () {
        const tenant = yield* (yield* TestApi).tenant
        const paused = yield* play(tenant, ask)
        const session = yield* inSession(tenant, paused["session_id"])
        const { json, status } = yield* session.cancel()
        assert.strictEqual(status, 202)
        assert.deepStrictEqual(json["closed_questions"] as unknown, [{ run_id: paused["run_id"] }])
        const reply = yield* session.reply({ message: "Yes", run_id: paused["run_id"] })
        assert.strictEqual(reply.status, 409)
        assert.strictEqual(String(reply.json["code"]), "interrupt_cancelled")
        const run = (yield* session.run(paused["run_id"])).json
        assert.deepInclude(run as object, { status: "succeeded", paused: true, resumed_by_run_id: null })
        assert.strictEqual((yield* session.cancel()).status, 200)
      })
    )

    it.effect("answers 422 to a mode that it does not know and to a reason that is too long", () =>
      Effect.gen(function* () {
        const tenant = yield* (yield* TestApi).tenant
        const done = yield* play(tenant, [{ return: 1 }])
        const session = yield* inSession(tenant, done["session_id"])
        for (const [pointer, body] of [
          ["/mode", { mode: "brutal" }],
          ["/reason", { reason: "x".repeat(501) }]
        ] as const) {
          const answer = yield* session.cancel(body)
          assert.strictEqual(answer.status, 422)
          assert.strictEqual(String(answer.json["errors"]![0]!["pointer"]), pointer)
        }
      })
    )
  })
})
