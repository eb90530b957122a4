/** The event that a run began, published where somebody asked for it. */
import type { WorkspaceId } from "@agent-platform/kernel"
import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { aCaller } from "@agent-platform/kernel/testing"
import { runStarted, StartSubscribers } from "@agent-platform/runs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { freshBy, givenRuns } from "../src/testing/givenRuns.ts"
import { beginRuns } from "../src/use-cases/beginRuns.ts"
import { NO_TURNS } from "../src/worker/shares.ts"
import { memory } from "./runFault.ts"

const ALL = { runs: 100, perWorkspace: 100 }

/** Begins all runs that are due. */
const beginAll = Effect.suspend(() =>
  beginRuns({
    by: freshBy(),
    max: 100,
    shares: { organizations: new Map(), others: ALL, workspaces: new Map() },
    after: NO_TURNS,
    leaseSeconds: 60
  })
)

interface Kept {
  readonly type: string
  readonly workspaceId: string
  readonly data: string
}

const published = Effect.gen(function* () {
  const database = yield* MemoryDatabase
  return (yield* database.table<Kept>("event").all).filter(({ type }) => type === runStarted.type)
})

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(runStarted.data))

describe("runs that begin together", () => {
  it.effect("are published as started where their workspace has a subscriber, by one question for all", () =>
    Effect.gen(function* () {
      const caller = aCaller()
      const mine = [yield* givenRuns(1, {}, caller), yield* givenRuns(1, {}, caller)]
      const other = yield* givenRuns(1)
      const asked: Array<ReadonlyArray<WorkspaceId>> = []
      const { claimed } = yield* beginAll.pipe(
        Effect.provideService(StartSubscribers, (workspaces) =>
          Effect.sync(() => {
            asked.push(workspaces.map(({ workspaceId }) => workspaceId))
            return new Set([caller.workspaceId])
          })
        )
      )
      assert.lengthOf(claimed, 3)
      assert.lengthOf(asked, 1)
      assert.sameMembers([...(asked[0] ?? [])], [caller.workspaceId, other.agent.workspaceId])
      const events = yield* published
      const data = events.map(({ data }) => decode(data))
      assert.sameMembers(
        data.map(({ run_id }) => run_id),
        mine.map(({ first }) => first.id)
      )
      assert.deepInclude(data[0], { status: "running", paused: false, finished_at: null, attempt: 1, error: null })
      assert.isString(data[0]?.started_at)
      assert.strictEqual(events[0]?.workspaceId, caller.workspaceId)
    }).pipe(Effect.provide(memory))
  )

  it.effect("are published nowhere while nobody asked, and nobody is asked while none begins", () =>
    Effect.gen(function* () {
      yield* givenRuns(1)
      yield* beginAll
      assert.isEmpty(yield* published)
      const { claimed } = yield* beginAll.pipe(
        Effect.provideService(StartSubscribers, () => Effect.die("Nothing began"))
      )
      assert.isEmpty(claimed)
    }).pipe(Effect.provide(memory))
  )
})
