/** The events of turns that end. Spec: Run 4; Events 3. */
import { bodyOf, EventLog, Outbox } from "@agent-platform/kernel"
import { Runs, startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { aStoredAgent, ended, memory, trigger } from "./support.ts"

const published = Effect.gen(function* () {
  const taken = yield* Outbox.use((outbox) => outbox.take(100))
  const found = yield* EventLog.use((log) => log.find(taken.map(({ id }) => id)))
  return found.map((event) => JSON.parse(bodyOf(event)) as { type: string; data: Record<string, unknown> })
})

describe("turns that end", () => {
  it.live("publish one event each, a question instead of a success, and its reply an outcome of its own", () =>
    Effect.gen(function* () {
      yield* startRunWorker()
      const of = yield* aStoredAgent()
      const asking = yield* trigger(of, { input: { steps: [{ ask: "Shall I?" }, { return: "refunded" }] } })
      yield* ended(of.caller, asking.id)
      const reply = yield* Runs.use((runs) =>
        runs.replyToSession({ caller: of.caller, sessionId: asking.sessionId, message: "Yes" })
      )
      assert.strictEqual((yield* ended(of.caller, reply.value.id)).result, "refunded")
      const failing = yield* trigger(of, { input: { steps: [{ fail: "out of words" }] } })
      yield* ended(of.caller, failing.id)
      const events = yield* published
      const common = { workspace_id: of.caller.workspaceId, agent_id: of.agent.id, interrupt: null }
      const expected = [
        ["run.paused", asking.id, { ...common, status: "succeeded", paused: true, error: null, message: "Shall I?" }],
        ["run.succeeded", reply.value.id, { ...common, status: "succeeded", paused: false, error: null }],
        ["run.failed", failing.id, { ...common, status: "failed", paused: false, error: "out of words" }]
      ] as const
      assert.sameMembers(
        events.map(({ data, type }) => `${type} ${data["run_id"]}`),
        expected.map(([type, id]) => `${type} ${id}`)
      )
      for (const [type, , data] of expected) {
        const event = events.find((one) => one.type === type)
        assert.deepInclude(event?.data, data)
        assert.strictEqual("message" in event!.data, type === "run.paused")
      }
    }).pipe(Effect.scoped, Effect.provide(memory()))
  )
})
