/** The entries of the activity feed that runs leave by ending. */
import { feedTables, MemoryDatabase } from "@agent-platform/kernel/memory"
import { type Recipe, recoverRuns, startRunWorker } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { aStoredAgent, ended, memory, trigger } from "./support.ts"

const TOOLS = 1_000

/** A recipe that calls so many tools. */
const busy: Recipe = {
  name: "busy",
  execute: ({ emit }) =>
    Effect.gen(function* () {
      for (let call = 0; call < TOOLS; call++) {
        yield* emit("tool.started", { name: "find" })
        yield* emit("tool.completed", { name: "find" })
      }
      return { _tag: "Succeeded" as const, result: null, message: null }
    })
}

const entries = Effect.gen(function* () {
  const { activity } = feedTables(yield* MemoryDatabase)
  return (yield* activity.all).filter(({ action }) => action !== "run.triggered")
})

describe("a run that ends", () => {
  it.live("leaves one entry by its agent, which counts the tools that it called", () =>
    Effect.gen(function* () {
      yield* startRunWorker()
      const of = yield* aStoredAgent({ recipe: "busy" })
      const run = yield* trigger(of)
      yield* ended(of.caller, run.id)
      const [entry, ...more] = yield* entries
      assert.isEmpty(more)
      assert.deepInclude(entry, {
        action: "run.succeeded",
        actor: { type: "agent", id: of.agent.id, label: of.agent.name },
        resourceType: "run",
        resourceId: run.id,
        workspaceId: run.workspaceId,
        summary: `${of.agent.name} finished a run`,
        payload: { session_id: run.sessionId, agent_id: of.agent.id, error_code: null, tool_calls: TOOLS }
      })
    }).pipe(Effect.scoped, Effect.provide(memory(busy)))
  )

  it.effect("leaves one by the platform where no agent came to it", () =>
    Effect.gen(function* () {
      const of = yield* aStoredAgent()
      const run = yield* trigger(of, { ttlSeconds: 1 })
      yield* TestClock.setTime(DateTime.toEpochMillis(run.createdAt) + 2_000)
      yield* recoverRuns()
      const [entry, ...more] = yield* entries
      assert.isEmpty(more)
      assert.deepInclude(entry, {
        action: "run.failed",
        actor: { type: "system", id: "runs", label: "Runs" },
        resourceId: run.id,
        payload: { session_id: run.sessionId, agent_id: of.agent.id, error_code: "expired" }
      })
    }).pipe(Effect.provide(memory()))
  )
})
