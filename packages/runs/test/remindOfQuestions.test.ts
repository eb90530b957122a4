/** A question that waits is reminded of once. */
import { EventLog } from "@agent-platform/kernel"
import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { agentPausedReminder, remindOfQuestions } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { asking, at, claimInWorkspaceOf, givenRuns, settle } from "../src/testing/givenRuns.ts"
import { memory } from "./runFault.ts"

interface Kept {
  readonly type: string
  readonly organizationId: string
  readonly data: string
}

const published = Effect.gen(function* () {
  const database = yield* MemoryDatabase
  return (yield* database.table<Kept>("event").all).filter(({ type }) => type === agentPausedReminder.type)
})

describe("a question that nobody answers", () => {
  it.effect("is reminded of when an hour has passed, once, by the run as it paused", () =>
    Effect.gen(function* () {
      yield* EventLog
      const { agent, runs } = yield* givenRuns(250)
      for (const run of runs) {
        const [claimed] = yield* claimInWorkspaceOf(run)
        yield* settle(claimed?.claimToken ?? null, asking(claimed?.run ?? run))
      }
      const hour = DateTime.toEpochMillis(DateTime.add(at(5), { hours: 1 }))
      yield* TestClock.setTime(hour)
      assert.strictEqual(yield* remindOfQuestions(), 0)
      yield* TestClock.setTime(hour + 1)
      const both = yield* Effect.all([remindOfQuestions(), remindOfQuestions()], { concurrency: "unbounded" })
      assert.strictEqual(both[0] + both[1], 250)
      assert.strictEqual(yield* remindOfQuestions(), 0)
      const events = yield* published
      assert.lengthOf(events, 250)
      const decode = Schema.decodeUnknownSync(Schema.fromJsonString(agentPausedReminder.data))
      const told = events.map(({ data }) => decode(data))
      assert.sameMembers(
        told.map((data) => data.run_id),
        runs.map(({ id }) => id)
      )
      assert.deepInclude(told[0], {
        agent_id: agent.id,
        status: "succeeded",
        paused: true,
        message: "Shall I?",
        interrupt: { amount: 40 }
      })
      assert.strictEqual(events[0]?.organizationId, agent.organizationId)
    }).pipe(Effect.provide(memory))
  )
})
