/** GET /api/v1/sessions, one test a behaviour. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { UNKNOWN_ID } from "./endpoints.ts"
import { aRunningRun, ask, inSession, play, RUNS } from "./sessionSupport.ts"
import { anAgent, type Json, layerWithWorkers, type Tenant, TestApi } from "./support.ts"

const list = (tenant: Tenant, query = "") =>
  TestApi.use((api) => api.call("GET", `/api/v1/sessions${query}`, { key: tenant.workspaceKey }))

const itemsOf = (json: Json) => json["items"] as unknown as ReadonlyArray<Json>
const idsOf = (json: Json) => itemsOf(json).map((item) => String(item["session_id"]))

layer(layerWithWorkers, { excludeTestServices: true })("GET /api/v1/sessions", (it) => {
  it.effect("answers 200 with the workspace's sessions, newest first, as far as a list shows them", () =>
    Effect.gen(function* () {
      const tenant = yield* (yield* TestApi).tenant
      const done = yield* play(tenant, [{ return: 1 }], { message: "x".repeat(300) })
      const asked = yield* play(tenant, [{ ask: "?".repeat(300) }])
      const { json, status } = yield* list(tenant)
      assert.strictEqual(status, 200)
      const common = { workspace_id: done["workspace_id"], unfinished: { queued: 0, running: 0 } }
      assert.deepStrictEqual(json as unknown, {
        items: [
          {
            ...common,
            session_id: asked["session_id"],
            agent_id: asked["agent_id"],
            first_message: null,
            status: "paused",
            created_at: asked["created_at"],
            latest_run: { run_id: asked["run_id"], status: "succeeded", paused: true },
            open_question: { run_id: asked["run_id"], message: "?".repeat(200), asked_at: asked["finished_at"] }
          },
          {
            ...common,
            session_id: done["session_id"],
            agent_id: done["agent_id"],
            first_message: "x".repeat(200),
            status: "idle",
            created_at: done["created_at"],
            latest_run: { run_id: done["run_id"], status: "succeeded", paused: false },
            open_question: null
          }
        ],
        next_cursor: null
      })
    })
  )

  it.effect("finds by status what the session itself says, and forgets a question that was answered", () =>
    Effect.gen(function* () {
      const tenant = yield* (yield* TestApi).tenant
      const idle = yield* play(tenant, [{ return: 1 }])
      const paused = yield* play(tenant, ask)
      const running = yield* aRunningRun(tenant)
      const session = yield* inSession(tenant, paused["session_id"])
      const expect = Effect.fnUntraced(function* (status: string, ids: ReadonlyArray<unknown>) {
        assert.deepStrictEqual(idsOf((yield* list(tenant, `?status=${status}`)).json), ids.map(String), status)
      })
      yield* expect("idle", [idle["session_id"]])
      yield* expect("paused", [paused["session_id"]])
      yield* expect("running", [running.sessionId])
      yield* expect("queued", [])
      const waiting = yield* TestApi.use((api) =>
        api.call("GET", `${RUNS}?status=paused`, { key: tenant.workspaceKey })
      )
      assert.deepStrictEqual(
        itemsOf(waiting.json).map((run) => run["run_id"]),
        [paused["run_id"]]
      )
      const { json } = yield* session.reply({ message: "Yes" })
      yield* session.run(json["run_id"])
      yield* expect("paused", [])
      const after = yield* TestApi.use((api) => api.call("GET", `${RUNS}?status=paused`, { key: tenant.workspaceKey }))
      assert.isEmpty(itemsOf(after.json))
      yield* (yield* inSession(tenant, running.sessionId)).cancel({ mode: "immediate" })
    })
  )

  it.effect("searches the first message in any case, and ids by how they begin, and combines filters", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const [one, two] = [yield* anAgent(tenant), yield* anAgent(tenant)]
      const trigger = Effect.fnUntraced(function* (agent_id: string, message: string) {
        return (yield* api.call("POST", RUNS, { key: tenant.workspaceKey, body: { agent_id, message } })).json
      })
      const refund = yield* trigger(one, "Please REFUND 100% of order_42")
      const other = yield* trigger(two, "refund, and thanks")
      const far = yield* trigger(two, `${"x".repeat(200)} refund`)
      const sessions = (...runs: ReadonlyArray<Json>) => runs.map((run) => String(run["session_id"]))
      const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
        ["q=Refund", sessions(other, refund)],
        ["q=100%25", sessions(refund)],
        ["q=order%5F42", sessions(refund)],
        ["q=order%2542", []],
        [`q=${String(far["session_id"]).toUpperCase()}`, sessions(far)],
        [`q=${String(far["run_id"])}`, sessions(far)],
        [`agent_id=${two}`, sessions(far, other)],
        [`agent_id=${two}&q=refund`, sessions(other)],
        [`agent_id=${UNKNOWN_ID}`, []],
        ["agent_id=nonsense", []],
        [`since=${encodeURIComponent(String(refund["created_at"]))}&q=refund`, sessions(other, refund)],
        [`until=${encodeURIComponent(String(refund["created_at"]))}`, []]
      ]
      for (const [query, expected] of cases) {
        const { json, status } = yield* list(tenant, `?${query}`)
        assert.strictEqual(status, 200, query)
        assert.deepStrictEqual(idsOf(json), expected, query)
      }
    })
  )

  it.effect("pages by a cursor that is bound to the filters", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const agent_id = yield* anAgent(tenant)
      const sessions: Array<string> = []
      for (const message of ["find", "no", "find", "no", "find"]) {
        const { json } = yield* api.call("POST", RUNS, { key: tenant.workspaceKey, body: { agent_id, message } })
        if (message === "find") sessions.unshift(String(json["session_id"]))
      }
      const first = yield* list(tenant, "?q=find&limit=2")
      assert.deepStrictEqual(idsOf(first.json), sessions.slice(0, 2))
      const cursor = String(first.json["next_cursor"])
      const second = yield* list(tenant, `?q=find&limit=2&cursor=${cursor}`)
      assert.deepStrictEqual([idsOf(second.json), second.json["next_cursor"] as unknown], [sessions.slice(2), null])
      for (const filters of ["", "q=other&", "q=find&status=idle&"]) {
        const mixed = yield* list(tenant, `?${filters}limit=2&cursor=${cursor}`)
        assert.strictEqual(`${mixed.status} ${mixed.json["code"]}`, "422 cursor_filter_mismatch")
      }
    })
  )

  it.effect("answers 422 to filters that are none", () =>
    Effect.gen(function* () {
      const tenant = yield* (yield* TestApi).tenant
      for (const query of ["status=done", "since=yesterday", `q=${"x".repeat(101)}`, "limit=51", "cursor=x"]) {
        const { json, status } = yield* list(tenant, `?${query}`)
        assert.strictEqual(status, 422, query)
        assert.strictEqual(String(json["errors"]![0]!["pointer"]), `?${query.split("=")[0]}`)
      }
    })
  )
})
