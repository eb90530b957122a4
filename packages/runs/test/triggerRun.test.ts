import { Outbox } from "@agent-platform/kernel"
import { aCaller, anId } from "@agent-platform/kernel/testing"
import { AgentId, Runs, SessionId } from "@agent-platform/runs"
import { anAgent, aTrigger } from "@agent-platform/runs/testing"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { aStoredAgent, memory, trigger } from "./support.ts"

describe("triggering a run", () => {
  layer(memory())((it) => {
    it.effect("accepts it queued, with the first event of its log", () =>
      Effect.gen(function* () {
        const of = yield* aStoredAgent()
        const run = yield* trigger(of, { input: { a: 1 }, prompt: "Hi", tags: ["x"] })
        assert.deepInclude(run, { status: "queued", attempt: 0, recipe: "demo", prompt: "Hi", costUsd: "0.00" })
        const runs = yield* Runs
        const log = yield* runs.readRunLog({ caller: of.caller, runId: run.id, after: 0, limit: 10 })
        assert.deepStrictEqual(
          log.items.map((event) => event.type),
          ["run.queued"]
        )
      })
    )

    it.effect("finds neither an agent nor a session of another workspace", () =>
      Effect.gen(function* () {
        const mine = yield* aStoredAgent()
        const theirs = yield* aStoredAgent()
        const run = yield* trigger(theirs)
        const foreignAgent = yield* Effect.flip(trigger({ caller: mine.caller, agent: theirs.agent }))
        assert.strictEqual(foreignAgent._tag, "AgentNotFound")
        assert.deepStrictEqual(
          foreignAgent,
          yield* Effect.flip(trigger({ caller: mine.caller, agent: anAgent(mine.caller, { id: anId(AgentId) }) }))
        )
        const foreignSession = yield* Effect.flip(trigger(mine, { sessionId: run.sessionId }))
        assert.strictEqual(foreignSession._tag, "SessionNotFound")
        assert.deepStrictEqual(foreignSession, yield* Effect.flip(trigger(mine, { sessionId: anId(SessionId) })))
      })
    )

    it.effect("refuses a recipe that the agent does not offer or that is not registered", () =>
      Effect.gen(function* () {
        const of = yield* aStoredAgent({ recipes: ["chat"] })
        for (const recipe of ["http", "chat"]) {
          assert.deepInclude(yield* Effect.flip(trigger(of, { recipe })), { _tag: "RecipeUnknown", recipe })
        }
      })
    )

    it.effect("queues behind an unfinished run of the session, or refuses on demand", () =>
      Effect.gen(function* () {
        const of = yield* aStoredAgent()
        const first = yield* trigger(of)
        const second = yield* trigger(of, { sessionId: first.sessionId })
        assert.strictEqual(second.sessionId, first.sessionId)
        const refused = yield* Effect.flip(trigger(of, { sessionId: first.sessionId, ifBusy: "reject" }))
        assert.strictEqual(refused._tag, "SessionBusy")
      })
    )

    it.effect("creates one run for one idempotency key, and nothing at all when it fails", () =>
      Effect.gen(function* () {
        const of = yield* aStoredAgent()
        const idempotency = {
          scope: of.caller.workspaceId,
          route: "POST /api/v1/runs/",
          key: "one",
          bodyHash: "0".repeat(64)
        }
        const unknown = anAgent(of.caller)
        yield* Effect.flip(trigger({ ...of, agent: unknown }, { idempotency }))
        const runs = yield* Runs
        const made = yield* Effect.forEach(
          Array.from({ length: 5 }),
          () => runs.triggerRun(aTrigger(of.caller, of.agent, { idempotency })),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(new Set(made.map(({ value }) => value.id)).size, 1)
        assert.strictEqual(made.filter(({ replayed }) => !replayed).length, 1)
        const page = yield* runs.listRuns({ caller: of.caller, filter: {}, page: { limit: 50, before: undefined } })
        assert.strictEqual(page.items.length, 1)
        assert.isEmpty(yield* Outbox.use((outbox) => outbox.take(10)))
      })
    )

    it.effect("hides a run from every other workspace", () =>
      Effect.gen(function* () {
        const run = yield* trigger(yield* aStoredAgent())
        const runs = yield* Runs
        const stranger = { caller: aCaller(), runId: run.id }
        assert.strictEqual((yield* Effect.flip(runs.readRun({ ...stranger, waitSeconds: 0 })))._tag, "RunNotFound")
        assert.strictEqual(
          (yield* Effect.flip(runs.readRunLog({ ...stranger, after: 0, limit: 1 })))._tag,
          "RunNotFound"
        )
        assert.strictEqual((yield* Effect.flip(runs.followRunLog({ ...stranger, after: 0 })))._tag, "RunNotFound")
      })
    )
  })
})
