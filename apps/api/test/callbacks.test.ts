/** Runs that are left to their agents, which call back. */
import { RunReader } from "@agent-platform/runs"
import { assert, layer } from "@effect/vitest"
import { Effect, Queue, Schedule } from "effect"
import { anOwnAgent, layerWithAgents, signed } from "./ownAgents.ts"

/** A run whose agent has answered 202, once the worker has left it to the agent. */
const left = Effect.fnUntraced(function* (settings: Readonly<Record<string, unknown>> = {}, run = {}) {
  const own = yield* anOwnAgent(settings)
  const triggered = yield* own.trigger(run)
  const runId = String(triggered["run_id"])
  const arrival = yield* Queue.take(own.arrivals)
  arrival.response.writeHead(202).end()
  const workspaceId = own.tenant.workspaceId as never
  yield* RunReader.use((runs) => runs.find(workspaceId, runId as never)).pipe(
    Effect.filterOrFail((found) => found?.callbackUntil != null),
    Effect.retry(Schedule.spaced("10 millis"))
  )
  const path = `/api/v1/runs/${runId}/callback`
  return { ...own, runId, path, arrival, sessionId: String(triggered["session_id"]) }
})

const DONE = { attempt: 1, lines: [{ type: "result", result: { b: 2 }, message: "Hi" }] }

const usage = (output_tokens: number) => ({
  type: "usage",
  provider: "openai",
  model: "gpt-4o-mini",
  input_tokens: 1_000_000,
  output_tokens
})

layer(layerWithAgents, { excludeTestServices: true })("a run that is left to its agent", (it) => {
  it.effect("ends with what the agent calls back, its lines in the log and its usage on the bill", () =>
    Effect.gen(function* () {
      const { api, arrival, key, log, path, read, runId, secret } = yield* left()
      assert.strictEqual(String(arrival.json["callback"]!["url"]), `https://agents.test${path}`)
      const lines = [
        { type: "tool.started", name: "find" },
        { type: "later", a: 1 },
        usage(0),
        { type: "checkpoint", state: { seen: 1 } },
        ...DONE.lines,
        { type: "fail", error: "not read" }
      ]
      const { json, status } = yield* api.call("POST", path, signed(secret, { attempt: 1, lines }))
      assert.deepStrictEqual([status, json] as unknown, [200, { run_id: runId, status: "succeeded", paused: false }])
      const run = yield* read(runId)
      assert.deepInclude(run as object, {
        status: "succeeded",
        message: "Hi",
        result: { b: 2 },
        cost_usd: "0.15",
        attempt: 1
      })
      const { json: feed } = yield* api.call("GET", "/api/v1/activity", { key })
      const acts = feed["items"] as unknown as ReadonlyArray<Record<string, unknown>>
      const [act] = acts.filter(({ resource_id }) => resource_id === runId)
      assert.deepInclude(act!, { action: "run.succeeded", actor_type: "agent", actor_label: "Mine" })
      const events = yield* log(runId)
      assert.deepStrictEqual(
        events.map(({ type }) => type),
        ["run.queued", "run.started", "tool.started", "log", "llm.request", "run.succeeded"]
      )
      assert.isTrue(events.slice(2).every(({ attempt }) => attempt === 1))
    }).pipe(Effect.scoped)
  )

  it.effect("keeps what the agent saved for the turn that answers its question", () =>
    Effect.gen(function* () {
      const { api, arrivals, key, path, runId, secret, sessionId } = yield* left()
      const lines = [
        { type: "checkpoint", state: { step: 3 } },
        { type: "pause", message: "Shall I?", interrupt: { amount: "3.00" } }
      ]
      const { json } = yield* api.call("POST", path, signed(secret, { attempt: 1, lines }))
      assert.deepInclude(json as object, { status: "succeeded", paused: true })
      yield* api.call("POST", `/api/v1/sessions/${sessionId}/messages`, { key, body: { message: "Yes" } })
      const next = yield* Queue.take(arrivals)
      assert.deepInclude(next.json as object, {
        checkpoint: { step: 3 },
        question: { run_id: runId, message: "Shall I?", interrupt: { amount: "3.00" } },
        resumes_run_id: runId
      })
      const history = next.json["history"] as unknown as ReadonlyArray<Record<string, unknown>>
      assert.deepStrictEqual(
        history.map(({ is_question, role, text }) => [role, text, is_question]),
        [
          ["user", "Hello", false],
          ["agent", "Shall I?", true]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("is ended by one callback of many at once, which is counted once", () =>
    Effect.gen(function* () {
      const { api, log, path, read, runId, secret } = yield* left()
      const call = signed(secret, { attempt: 1, lines: [usage(0), ...DONE.lines] })
      const answers = yield* Effect.all(
        Array.from({ length: 8 }, () => api.call("POST", path, call)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 7 }, () => 409)])
      const again = yield* api.call("POST", path, call)
      assert.deepStrictEqual([again.status, String(again.json["code"])], [409, "callback_not_awaited"])
      const run = yield* read(runId)
      assert.deepInclude(run as object, { status: "succeeded", cost_usd: "0.15" })
      assert.strictEqual(Number(run["usage"]!["requests"]), 1)
      assert.strictEqual((yield* log(runId)).filter(({ type }) => type === "llm.request").length, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("is not changed by a callback that is forged, too old, of another attempt or of no use", () =>
    Effect.gen(function* () {
      const { api, key, log, path, read, runId, secret } = yield* left()
      const other = yield* left()
      const before = yield* log(runId)
      const valid = signed(secret, DONE)
      const refusals = [
        [401, { raw: valid.raw!, headers: { "content-type": "application/json" } }],
        [401, { ...valid, raw: valid.raw!.toString().replace("Hi", "Ho") }],
        [401, signed(other.secret, DONE)],
        [401, signed("whsec_Z3Vlc3NlZCBzZWNyZXQgb2YgMzIgYnl0ZXMgLi4u", DONE)],
        [401, signed(secret, DONE, new Date(Date.now() - 301_000))],
        [401, { ...signed(secret, DONE), headers: { authorization: `Bearer ${key}` } }],
        [409, signed(secret, { ...DONE, attempt: 2 })],
        [409, signed(secret, { ...DONE, attempt: 0 })],
        [422, signed(secret, { attempt: 1, lines: [] })],
        [422, signed(secret, { attempt: 1, lines: [{ type: "message.delta", text: "x" }] })],
        [422, signed(secret, { attempt: 1, lines: [{ type: "log" }, ...DONE.lines] })],
        [422, signed(secret, { ...DONE, attempt: "1" })],
        [422, signed(secret, { ...DONE, more: 1 })],
        [400, signed(secret, "{")]
      ] as const
      for (const [status, call] of refusals) {
        const answer = yield* api.call("POST", path, call)
        assert.strictEqual(answer.status, status, `${answer.text} ${JSON.stringify(call)}`)
      }
      const elsewhere = yield* api.call("POST", `/api/v1/runs/${crypto.randomUUID()}/callback`, valid)
      const nowhere = yield* api.call("POST", "/api/v1/runs/nothing/callback", valid)
      assert.deepStrictEqual([elsewhere.status, nowhere.status], [401, 401])
      const crossed = yield* api.call("POST", other.path, valid)
      assert.strictEqual(crossed.status, 401)
      assert.strictEqual(String((yield* read(runId))["status"]), "running")
      assert.deepStrictEqual(yield* log(runId), before)
      assert.strictEqual((yield* api.call("POST", path, valid)).status, 200)
    }).pipe(Effect.scoped)
  )

  it.effect("is ended by the secret from before, too, while its grace lasts", () =>
    Effect.gen(function* () {
      const { agentId, api, key, path, secret, url } = yield* left()
      const rotate = (grace_seconds: number) =>
        api.call("PATCH", `/api/v1/agents/${agentId}`, {
          key,
          body: { endpoint: { url, rotate_secret: true, grace_seconds } }
        })
      const { json } = yield* rotate(60)
      assert.match(String(json["endpoint"]!["signing_secret"]), /^whsec_/)
      assert.strictEqual((yield* api.call("POST", path, signed(secret, { ...DONE, attempt: 7 }))).status, 409)
      yield* rotate(0)
      assert.strictEqual((yield* api.call("POST", path, signed(secret, DONE))).status, 401)
    }).pipe(Effect.scoped)
  )

  it.effect("ends cancelled at once, and a late callback changes nothing", () =>
    Effect.gen(function* () {
      const { api, key, path, read, runId, secret, sessionId } = yield* left()
      yield* api.call("POST", `/api/v1/sessions/${sessionId}/cancel`, { key, body: { mode: "immediate" } })
      assert.strictEqual(String((yield* read(runId))["status"]), "cancelled")
      const late = yield* api.call("POST", path, signed(secret, DONE))
      assert.deepStrictEqual([late.status, String(late.json["code"])], [409, "callback_not_awaited"])
      assert.strictEqual(String((yield* read(runId))["status"]), "cancelled")
    }).pipe(Effect.scoped)
  )

  it.effect("times out without a callback, and holds up no other run of its session any more", () =>
    Effect.gen(function* () {
      const { arrivals, read, runId, sessionId, trigger } = yield* left(
        {},
        { max_duration_seconds: 1, max_attempts: 3 }
      )
      const next = yield* trigger({ session_id: sessionId })
      const arrival = yield* Queue.take(arrivals)
      assert.strictEqual(String(arrival.json["run_id"]), String(next["run_id"]))
      const run = yield* read(runId)
      assert.deepInclude(run as object, { status: "failed", error_code: "timed_out", attempt: 1 })
    }).pipe(Effect.scoped)
  )

  it.effect("is ended by a callback that comes before the agent's answer, of which nothing is read then", () =>
    Effect.gen(function* () {
      const { api, arrivals, read, secret, trigger } = yield* anOwnAgent()
      const runId = String((yield* trigger())["run_id"])
      const arrival = yield* Queue.take(arrivals)
      const { status } = yield* api.call("POST", `/api/v1/runs/${runId}/callback`, signed(secret, DONE))
      assert.strictEqual(status, 200)
      arrival.response.end('{"type": "fail", "error": "too late"}\n')
      assert.deepInclude((yield* read(runId)) as object, { status: "succeeded", result: { b: 2 } })
    }).pipe(Effect.scoped)
  )

  it.effect("fails for a reported call that exceeds its cap, which is on the bill all the same", () =>
    Effect.gen(function* () {
      const { api, path, read, runId, secret } = yield* left({}, { max_cost_usd: "0.10" })
      const call = signed(secret, { attempt: 1, lines: [usage(0), ...DONE.lines] })
      assert.strictEqual(String((yield* api.call("POST", path, call)).json["status"]), "failed")
      const run = yield* read(runId)
      assert.deepInclude(run as object, { status: "failed", error_code: "call_exceeds_cap", cost_usd: "0.15" })
    }).pipe(Effect.scoped)
  )
})
