import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { aRunningRun, ask, inSession, play } from "./sessionSupport.ts"
import { layerWithWorkers, TestApi } from "./support.ts"

layer(layerWithWorkers, { excludeTestServices: true })("sessions", (it) => {
  describe("POST /api/v1/sessions/{session_id}/messages", () => {
    it.effect("answers 202 with the run that resumes the paused one, and links the two", () =>
      Effect.gen(function* () {
        const tenant = yield* (yield* TestApi).tenant
        const paused = yield* play(tenant, ask)
        const session = yield* inSession(tenant, paused["session_id"])
        const { headers, json, status } = yield* session.reply({
          message: "Yes",
          run_id: paused["run_id"],
          decision: "approve",
          data: { limit: "40.00" }
        })
        assert.strictEqual(status, 202)
        assert.strictEqual(headers.get("location"), `/api/v1/runs/${String(json["run_id"])}`)
        assert.deepStrictEqual(Object.keys(json), [
          "message_id",
          "session_id",
          "run_id",
          "resumes_run_id",
          "status",
          "run"
        ])
        assert.strictEqual(String(json["resumes_run_id"]), String(paused["run_id"]))
        const resumed = (yield* session.run(json["run_id"])).json
        assert.deepInclude(resumed as object, {
          status: "succeeded",
          message: "You said: Yes",
          resumes_run_id: paused["run_id"],
          trigger: { type: "message", id: json["message_id"] },
          input: { decision: "approve", data: { limit: "40.00" } }
        })
        const before = (yield* session.run(paused["run_id"])).json
        assert.deepInclude(before as object, { status: "succeeded", paused: true, resumed_by_run_id: json["run_id"] })
      })
    )

    it.effect("answers 409 to all but one of many replies at once to the same question", () =>
      Effect.gen(function* () {
        const tenant = yield* (yield* TestApi).tenant
        const paused = yield* play(tenant, ask)
        const session = yield* inSession(tenant, paused["session_id"])
        const answers = yield* Effect.forEach(
          Array.from({ length: 6 }, (_, index) => `Answer ${index}`),
          (message) => session.reply({ message, run_id: paused["run_id"] }),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [202, 409, 409, 409, 409, 409])
        for (const { json } of answers.filter(({ status }) => status === 409)) {
          assert.strictEqual(String(json["code"]), "interrupt_already_answered")
        }
      })
    )

    it.effect("waits for the run of a reply that asks for it, and answers it as it ended", () =>
      Effect.gen(function* () {
        const tenant = yield* (yield* TestApi).tenant
        const paused = yield* play(tenant, ask)
        const session = yield* inSession(tenant, paused["session_id"])
        const { json, status } = yield* session.reply({ message: "Yes", wait_seconds: 20 })
        assert.deepStrictEqual([status, json["status"] as unknown], [202, "succeeded"])
        assert.deepInclude(json["run"] as object, { status: "succeeded", message: "You said: Yes", prompt: "Yes" })
        assert.deepStrictEqual(json["run"] as unknown, (yield* session.run(json["run_id"])).json as unknown)
      })
    )

    it.effect("gives the run of a reply its own metadata and tags, or else those of the run before", () =>
      Effect.gen(function* () {
        const tenant = yield* (yield* TestApi).tenant
        const before = { metadata: { order: "42" }, tags: ["nightly"] }
        const first = yield* play(tenant, [{ return: 1 }], before)
        const session = yield* inSession(tenant, first["session_id"])
        const own = { metadata: { order: "43" }, tags: [] }
        assert.deepInclude((yield* session.reply({ message: "And?" })).json["run"] as object, before)
        assert.deepInclude((yield* session.reply({ message: "And?", ...own })).json["run"] as object, own)
        for (const [name, value] of [
          ["tags", Array.from({ length: 11 }, () => "t")],
          ["metadata", { a: "x".repeat(501) }],
          ["wait_seconds", 61]
        ] as const) {
          const { json, status } = yield* session.reply({ message: "And?", [name]: value })
          assert.strictEqual(status, 422, name)
          assert.include(String(json["errors"]![0]!["pointer"]), `/${name}`)
        }
      })
    )

    it.effect("begins an ordinary turn where no question is open", () =>
      Effect.gen(function* () {
        const tenant = yield* (yield* TestApi).tenant
        const first = yield* play(tenant, [{ return: 1 }], { message: "Hello" })
        const session = yield* inSession(tenant, first["session_id"])
        const { json, status } = yield* session.reply({ message: "And now?" })
        assert.strictEqual(status, 202)
        assert.isNull(json["resumes_run_id"])
        assert.strictEqual(String((yield* session.run(json["run_id"])).json["result"]), "You said: And now?")
      })
    )

    it.effect("answers a repetition under the same Idempotency-Key with the first one's message", () =>
      Effect.gen(function* () {
        const tenant = yield* (yield* TestApi).tenant
        const paused = yield* play(tenant, ask)
        const session = yield* inSession(tenant, paused["session_id"])
        const key = { "idempotency-key": "reply-1" }
        const first = yield* session.reply({ message: "Yes", run_id: paused["run_id"] }, key)
        const again = yield* session.reply({ message: "Yes", run_id: paused["run_id"] }, key)
        assert.strictEqual(again.status, 202)
        assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
        assert.strictEqual(String(again.json["message_id"]), String(first.json["message_id"]))
        const other = yield* session.reply({ message: "No" }, key)
        assert.strictEqual(other.status, 422)
        assert.strictEqual(String(other.json["code"]), "idempotency_key_reused")
      })
    )

    it.effect("answers 422 to data that takes too long to check, and takes data under a schema with a flaw", () =>
      Effect.gen(function* () {
        const tenant = yield* (yield* TestApi).tenant
        const asked = Effect.fnUntraced(function* (schema: unknown) {
          const paused = yield* play(tenant, [{ ask: "Shall I?", interrupt: { schema } }])
          return yield* inSession(tenant, paused["session_id"])
        })
        const alternatives = Array.from({ length: 300 }, (_, index) => ({ const: `${index}` }))
        const costly = yield* asked({ items: { anyOf: [...alternatives, { type: "string" }] } })
        const refused = yield* costly.reply({ message: "Yes", data: Array.from({ length: 60_000 }, () => "x") })
        assert.strictEqual(refused.status, 422)
        assert.strictEqual(String(refused.json["code"]), "interrupt_schema_mismatch")
        assert.include(String(refused.json["errors"]![0]!["detail"]), "cannot be checked within 1000000 steps")
        assert.strictEqual((yield* costly.reply({ message: "Yes", data: ["x"] })).status, 202)
        const flawed = yield* asked({ type: "spaceship" })
        assert.strictEqual((yield* flawed.reply({ message: "Yes", data: 1 })).status, 202)
      })
    )

    it.effect("answers 422 to data that is not what the question asks for, and to a run that asks nothing", () =>
      Effect.gen(function* () {
        const tenant = yield* (yield* TestApi).tenant
        const schema = { type: "object", properties: { approved: { type: "boolean" } }, required: ["approved"] }
        const paused = yield* play(tenant, [{ ask: "Shall I?", interrupt: { schema } }])
        const session = yield* inSession(tenant, paused["session_id"])
        const wrong = yield* session.reply({ message: "Yes", data: { approved: "yes" } })
        assert.strictEqual(wrong.status, 422)
        assert.strictEqual(String(wrong.json["code"]), "interrupt_schema_mismatch")
        assert.strictEqual(String(wrong.json["errors"]![0]!["pointer"]), "/data/approved")
        const right = yield* session.reply({ message: "Yes", data: { approved: true } })
        assert.strictEqual(right.status, 202)
        yield* session.run(right.json["run_id"])
        const nothing = yield* session.reply({ message: "Yes", run_id: right.json["run_id"] })
        assert.strictEqual(nothing.status, 422)
        assert.strictEqual(String(nothing.json["errors"]![0]!["pointer"]), "/run_id")
        for (const [pointer, body] of [
          ["/message", {}],
          ["/message", { message: "" }],
          ["/decision", { message: "x", decision: "" }],
          ["/if_busy", { message: "x", if_busy: "wait" }],
          ["/data", { message: "x", data: "x".repeat(256 * 1024) }]
        ] as const) {
          const answer = yield* session.reply(body)
          assert.strictEqual(answer.status, 422)
          assert.strictEqual(String(answer.json["errors"]![0]!["pointer"]), pointer)
        }
      })
    )

    it.effect("answers 409 to a reply to a run that has not ended, and to a busy session when asked to reject", () =>
      Effect.gen(function* () {
        const tenant = yield* (yield* TestApi).tenant
        const { runId, sessionId } = yield* aRunningRun(tenant)
        const session = yield* inSession(tenant, sessionId)
        const early = yield* session.reply({ message: "Yes", run_id: runId })
        assert.strictEqual(early.status, 409)
        assert.strictEqual(String(early.json["code"]), "run_not_finished")
        const busy = yield* session.reply({ message: "Yes", if_busy: "reject" })
        assert.strictEqual(busy.status, 409)
        assert.strictEqual(String(busy.json["code"]), "session_busy")
        const instead = yield* session.reply({ message: "Stop that", if_busy: "interrupt" })
        assert.strictEqual(instead.status, 202)
        assert.strictEqual(String((yield* session.run(runId)).json["status"]), "cancelled")
        assert.strictEqual(String((yield* session.run(instead.json["run_id"])).json["result"]), "You said: Stop that")
      })
    )
  })

  describe("GET /api/v1/sessions/{session_id}", () => {
    it.effect("answers 200 with what the session does, its latest run and its open question", () =>
      Effect.gen(function* () {
        const tenant = yield* (yield* TestApi).tenant
        const paused = yield* play(tenant, ask)
        const session = yield* inSession(tenant, paused["session_id"])
        const { json, status } = yield* session.read
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(json as object, {
          session_id: paused["session_id"],
          workspace_id: tenant.workspaceId,
          status: "paused",
          created_at: json["created_at"],
          unfinished: { queued: 0, running: 0 },
          latest_run: { run_id: paused["run_id"], status: "succeeded", paused: true },
          open_question: {
            run_id: paused["run_id"],
            message: "Shall I?",
            interrupt: { amount: 40 },
            interrupt_truncated: false,
            asked_at: paused["finished_at"]
          }
        })
        const busy = yield* aRunningRun(tenant)
        const running = (yield* (yield* inSession(tenant, busy.sessionId)).read).json
        assert.deepInclude(running as object, {
          status: "running",
          unfinished: { queued: 0, running: 1 },
          open_question: null
        })
      })
    )
  })

  describe("GET /api/v1/sessions/{session_id}/messages", () => {
    it.effect("answers 200 with what was said, newest first, in pages", () =>
      Effect.gen(function* () {
        const tenant = yield* (yield* TestApi).tenant
        const paused = yield* play(tenant, ask, { message: "Refund it" })
        const session = yield* inSession(tenant, paused["session_id"])
        const replied = yield* session.reply({ message: "Yes", decision: "approve" })
        yield* session.run(replied.json["run_id"])
        const { json, status } = yield* session.messages()
        assert.strictEqual(status, 200)
        const items = json["items"] as unknown as ReadonlyArray<Record<string, unknown>>
        assert.deepStrictEqual(
          items.map(({ decision, message, question, role }) => [role, message, decision, question]),
          [
            ["agent", "You said: Yes", null, false],
            ["user", "Yes", "approve", false],
            ["agent", "Shall I?", null, true],
            ["user", "Refund it", null, false]
          ]
        )
        assert.strictEqual(items[1]?.["message_id"], replied.json["message_id"])
        const first = yield* session.messages("?limit=3")
        const cursor = encodeURIComponent(String(first.json["next_cursor"]))
        const second = yield* session.messages(`?limit=3&cursor=${cursor}`)
        assert.deepStrictEqual(second.json["items"] as unknown, [items[3]])
        assert.isNull(second.json["next_cursor"])
        const other = yield* play(tenant, ask)
        const elsewhere = yield* inSession(tenant, other["session_id"])
        const mismatch = yield* elsewhere.messages(`?cursor=${cursor}`)
        assert.strictEqual(mismatch.status, 422)
        assert.strictEqual(String(mismatch.json["code"]), "cursor_filter_mismatch")
      })
    )
  })
})
