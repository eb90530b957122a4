/** The stream of a workspace's runs. Spec: Runs and sessions. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { openStream } from "./eventStream.ts"
import { aPerson, type PersonSession } from "./people.ts"
import type { FixturePorts } from "./reach.ts"
import { anAgent, layerWithWorkers, type Tenant, TestApi } from "./support.ts"

const STREAM = "/api/v1/runs/stream"

type Opened = Effect.Success<ReturnType<typeof openStream>>

const opened = (key: string, query = "", headers: Record<string, string> = {}) =>
  openStream(`${STREAM}${query}`, { key, headers })

const triggered = Effect.fnUntraced(function* (tenant: Tenant, agent_id: string, steps: ReadonlyArray<object> = []) {
  const api = yield* TestApi
  const body = { agent_id, input: { steps }, wait_seconds: 20 }
  const { json } = yield* api.call("POST", "/api/v1/runs/", { key: tenant.workspaceKey, body })
  return json as unknown as Readonly<Record<string, unknown>>
})

/** The next events up to one whose run is of this kind. */
const until = ({ next }: Opened, isIt: (run: Record<string, unknown>) => boolean) =>
  Effect.gen(function* () {
    const seen = []
    while (true) {
      const frame = yield* next
      if (frame === undefined) throw new Error("The stream has ended")
      assert.strictEqual(frame.event, "run")
      const run = JSON.parse(frame.data)
      seen.push({ id: frame.id, run })
      if (isIt(run)) return seen
    }
  })

layer(layerWithWorkers, { excludeTestServices: true })("GET /api/v1/runs/stream", (it) => {
  const test = (title: string, body: Effect.Effect<void, never, Scope.Scope | FixturePorts>) =>
    it.effect(title, () => Effect.scoped(body))

  test(
    "is an event stream of the workspace's runs as they change, to their ends, as reading shows them",
    Effect.gen(function* () {
      const api = yield* TestApi
      const [tenant, stranger] = [yield* api.tenant, yield* api.tenant]
      const [agent, theirs] = [yield* anAgent(tenant), yield* anAgent(stranger)]
      yield* triggered(tenant, agent)
      const stream = yield* opened(tenant.workspaceKey)
      assert.strictEqual(stream.response.headers.get("content-type"), "text/event-stream")
      yield* triggered(stranger, theirs)
      const run = yield* triggered(tenant, agent)
      const seen = yield* until(stream, ({ status }) => status === "succeeded")
      assert.deepStrictEqual([...new Set(seen.map((one) => one.run.run_id))], [run["run_id"]])
      const read = yield* api.call("GET", `/api/v1/runs/${run["run_id"]}`, { key: tenant.workspaceKey })
      assert.deepStrictEqual(seen.at(-1)?.run, read.json)
    })
  )

  test(
    "goes on after the event that was seen last, and from where it began",
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const agent = yield* anAgent(tenant)
      const response = yield* api.fetch("GET", STREAM, { key: tenant.workspaceKey })
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
      const { value } = yield* Effect.promise(() => reader.read())
      yield* Effect.promise(() => reader.cancel())
      const [, begins = ""] = /^id: (.*)\n\n$/.exec(value ?? "") ?? []
      const missed = yield* triggered(tenant, agent)
      const first = yield* opened(tenant.workspaceKey, "", { "last-event-id": begins })
      const seen = yield* until(first, ({ status }) => status === "succeeded")
      assert.strictEqual(seen.at(-1)?.run.run_id, missed["run_id"])
      yield* first.close
      const later = yield* triggered(tenant, agent, [{ fail: "out of words" }])
      const second = yield* opened(tenant.workspaceKey, "", { "last-event-id": seen.at(-1)?.id ?? "" })
      const rest = yield* until(second, ({ status }) => status === "failed")
      assert.isTrue(rest.every(({ run }) => run.run_id === later["run_id"]))
    })
  )

  test(
    "tells of one agent's runs, and of those that came to a status",
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const [one, two] = [yield* anAgent(tenant), yield* anAgent(tenant)]
      const failed = yield* opened(tenant.workspaceKey, `?status=failed&agent_id=${two}`)
      const paused = yield* opened(tenant.workspaceKey, "?status=paused")
      yield* triggered(tenant, one, [{ fail: "no" }])
      yield* triggered(tenant, two)
      const asking = yield* triggered(tenant, two, [{ ask: "Shall I?" }])
      const run = yield* triggered(tenant, two, [{ fail: "no" }])
      assert.strictEqual((yield* until(failed, () => true))[0]?.run.run_id, run["run_id"])
      assert.strictEqual((yield* until(paused, () => true))[0]?.run.run_id, asking["run_id"])
      const refused = yield* api.call("GET", `${STREAM}?status=unknown`, { key: tenant.workspaceKey })
      assert.strictEqual(refused.status, 422)
    })
  )

  test(
    "answers 422 to what was never an event of the stream",
    Effect.gen(function* () {
      const api = yield* TestApi
      const { workspaceKey: key } = yield* api.tenant
      for (const id of ["-7", "x", "9000000000000000000/00000000-0000-0000-0000-000000000000"]) {
        const { json, status } = yield* api.call("GET", STREAM, { key, headers: { "last-event-id": id } })
        assert.strictEqual(`${status} ${json["code"]}`, "422 validation_failed", id)
        assert.strictEqual(String(json["errors"]![0]!["pointer"]), "Last-Event-ID")
      }
    })
  )

  test(
    "is read by people who have logged in, and ends with the credential",
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const agent = yield* anAgent(tenant)
      const viewer: PersonSession = yield* aPerson(tenant, "viewer")
      const headers = { ...viewer.headers, "x-workspace-id": tenant.workspaceId }
      const watched = yield* openStream(STREAM, { headers })
      assert.strictEqual(watched.response.status, 200)
      yield* triggered(tenant, agent)
      yield* until(watched, ({ status }) => status === "succeeded")
      const made = yield* api.call("POST", "/api/v1/auth/api-keys", { key: tenant.workspaceKey, body: { name: "x" } })
      const keyed = yield* opened(String(made.json["key"]))
      yield* api.call("DELETE", `/api/v1/auth/api-keys/${made.json["id"]}`, { key: tenant.workspaceKey })
      assert.isUndefined(yield* keyed.next)
    })
  )
})
