/** GET /api/v1/runs/, one test a behaviour. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { UNKNOWN_ID } from "./endpoints.ts"
import { anAgent, type Json, layer as layerApi, type Tenant, TestApi } from "./support.ts"

const RUNS = "/api/v1/runs/"

const trigger = Effect.fnUntraced(function* (tenant: Tenant, agent_id: string, more: object = {}) {
  const api = yield* TestApi
  return (yield* api.call("POST", RUNS, { key: tenant.workspaceKey, body: { agent_id, ...more } })).json
})

const idsOf = (json: Json) =>
  (json["items"] as unknown as ReadonlyArray<{ readonly run_id: string }>).map(({ run_id }) => run_id)

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/** Another text of 16 bytes in base64url: its last digit says two bits, and has room for six. */
const respelt = (text: string): string => {
  const last = DIGITS.indexOf(text.at(-1) ?? "")
  return text.slice(0, -1) + DIGITS.charAt(last + 1)
}

layer(layerApi, { excludeTestServices: true })("GET /api/v1/runs/", (it) => {
  it.effect("answers 200 with the workspace's runs, newest first, as they are read one by one", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const agent = yield* anAgent(tenant)
      const runs = [yield* trigger(tenant, agent), yield* trigger(tenant, agent)]
      const { json, status } = yield* api.call("GET", RUNS, { key: tenant.workspaceKey })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(json as unknown, { items: [runs[1], runs[0]], next_cursor: null })
    })
  )

  it.effect("searches messages in any case, and ids by how they begin, and combines filters", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const [one, two] = [yield* anAgent(tenant), yield* anAgent(tenant)]
      const refund = yield* trigger(tenant, one, { message: "Please REFUND 100% of order_42", tags: ["t"] })
      const other = yield* trigger(tenant, two, { message: "refund, and thanks" })
      const far = yield* trigger(tenant, two, { message: `${"x".repeat(200)} refund` })
      const ids = (...runs: ReadonlyArray<Json>) => runs.map((run) => String(run["run_id"]))
      const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
        ["q=Refund", ids(other, refund)],
        ["q=100%25", ids(refund)],
        ["q=order%5F42", ids(refund)],
        ["q=order%2542", []],
        [`q=${String(far["run_id"]).toUpperCase()}`, ids(far)],
        [`q=${String(far["session_id"])}`, ids(far)],
        [`agent_id=${two}&q=refund`, ids(other)],
        ["tag=t&q=refund", ids(refund)],
        ["status=failed&q=refund", []]
      ]
      for (const [query, expected] of cases) {
        const { json, status } = yield* api.call("GET", `${RUNS}?${query}`, { key: tenant.workspaceKey })
        assert.strictEqual(status, 200, query)
        assert.deepStrictEqual(idsOf(json), expected, query)
      }
      const whole = yield* api.call("GET", `${RUNS}?q=thanks`, { key: tenant.workspaceKey })
      const listed = yield* api.call("GET", `${RUNS}${other["run_id"]}`, { key: tenant.workspaceKey })
      assert.deepStrictEqual(whole.json["items"] as unknown, [listed.json])
      const long = yield* api.call("GET", `${RUNS}?q=${"x".repeat(101)}`, { key: tenant.workspaceKey })
      assert.strictEqual(long.status, 422)
    })
  )

  it.effect("pages by a cursor that is bound to the filters", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const key = tenant.workspaceKey
      const agent = yield* anAgent(tenant)
      const runs: Array<Json> = []
      for (let index = 0; index < 3; index++) runs.push(yield* trigger(tenant, agent, { tags: ["t"] }))
      const first = yield* api.call("GET", `${RUNS}?tag=t&limit=2`, { key })
      assert.deepStrictEqual(idsOf(first.json), [String(runs[2]!["run_id"]), String(runs[1]!["run_id"])])
      const cursor = String(first.json["next_cursor"])
      yield* trigger(tenant, agent, { tags: ["t"] })
      const second = yield* api.call("GET", `${RUNS}?tag=t&limit=2&cursor=${cursor}`, { key })
      assert.deepStrictEqual(idsOf(second.json), [String(runs[0]!["run_id"])])
      assert.isNull(second.json["next_cursor"])
      for (const filters of ["", "tag=other&", "tag=t&status=queued&", "tag=t&q=x&"]) {
        const mixed = yield* api.call("GET", `${RUNS}?${filters}limit=2&cursor=${cursor}`, { key })
        assert.strictEqual(`${mixed.status} ${mixed.json["code"]}`, "422 cursor_filter_mismatch")
      }
      const [payload = "", signature = ""] = cursor.split(".")
      const altered = [
        `${cursor}x`,
        `${payload}.${respelt(signature)}`,
        `${payload}=.${signature}`,
        `${payload}.${signature}==`,
        `${payload} .${signature}`,
        `${payload}.${signature}.`,
        `${payload}.${signature}.x`,
        `.${signature}`,
        payload
      ]
      for (const other of altered) {
        const answer = yield* api.call("GET", `${RUNS}?tag=t&limit=2&cursor=${encodeURIComponent(other)}`, { key })
        assert.strictEqual(`${answer.status} ${answer.json["code"]}`, "422 cursor_invalid", other)
      }
    })
  )

  it.effect("combines filters", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const [one, two] = [yield* anAgent(tenant), yield* anAgent(tenant)]
      const plain = yield* trigger(tenant, one)
      const tagged = yield* trigger(tenant, one, { tags: ["a&b"], session_id: String(plain["session_id"]) })
      const other = yield* trigger(tenant, two, { tags: ["a&b"] })
      const cases: ReadonlyArray<readonly [string, ReadonlyArray<Json>]> = [
        [`agent_id=${one}`, [tagged, plain]],
        [`agent_id=${one}&tag=a%26b`, [tagged]],
        [`session_id=${plain["session_id"]}`, [tagged, plain]],
        ["tag=a%26b", [other, tagged]],
        ["status=queued", [other, tagged, plain]],
        ["status=failed", []],
        [`since=${encodeURIComponent(String(plain["created_at"]))}`, [other, tagged, plain]],
        [`until=${encodeURIComponent(String(plain["created_at"]))}`, []],
        [`agent_id=${UNKNOWN_ID}`, []],
        ["agent_id=nonsense", []],
        ["session_id=nonsense", []]
      ]
      for (const [query, runs] of cases) {
        const { json, status } = yield* api.call("GET", `${RUNS}?${query}`, { key: tenant.workspaceKey })
        assert.strictEqual(status, 200, query)
        assert.sameMembers(
          [...idsOf(json)],
          runs.map((run) => String(run["run_id"])),
          query
        )
      }
    })
  )

  it.effect("answers 422 to filters that are none", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey } = yield* api.tenant
      const faults = ["status=done", "since=yesterday", "until=2026-11-21", "limit=51", "limit=0", "cursor=x"]
      for (const query of faults) {
        const { json, status } = yield* api.call("GET", `${RUNS}?${query}`, { key: workspaceKey })
        assert.strictEqual(status, 422, query)
        assert.strictEqual(String(json["errors"]![0]!["pointer"]), `?${query.split("=")[0]}`)
      }
    })
  )

  it.effect("shows nothing of another workspace, whichever of its ids is named", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const [mine, theirs] = [yield* api.tenant, yield* api.tenant]
      const agent = yield* anAgent(theirs)
      const run = yield* trigger(theirs, agent)
      for (const query of ["", `?agent_id=${agent}`, `?session_id=${run["session_id"]}`]) {
        const { text } = yield* api.call("GET", `${RUNS}${query}`, { key: mine.workspaceKey })
        assert.strictEqual(text, '{"items":[],"next_cursor":null}')
      }
    })
  )

  describe("with a key that lacks runs:read", () => {
    it.effect("answers 403", () =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const key = yield* api.keyWith(yield* api.tenant, { scopes: ["runs:write"] })
        assert.strictEqual((yield* api.call("GET", RUNS, { key })).status, 403)
      })
    )
  })
})
