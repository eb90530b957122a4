import { atomic } from "@agent-platform/kernel"
import { overtaking } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { type ChangedRun, RunFeed, RunFeedPosition } from "../ports/RunFeed.ts"
import { RunSettlement } from "../ports/RunSettlement.ts"
import { SessionRuns } from "../ports/SessionRuns.ts"
import type { Run } from "../Run.ts"
import { asking, at, claimInWorkspaceOf, givenRuns, join, type RunStores, settle, stored } from "./givenRuns.ts"

/** Most reads until a change must have come. A feed that ends before the oldest open transaction also waits for other suites. */
const LOOKS_MAX = 4_000

type Workspaces = Parameters<RunFeed["Service"]["read"]>[0]["workspaces"]

/** Reads all changes in these workspaces after a position, `limit` at a time, and returns them with the feed's end. */
const readOn = Effect.fnUntraced(function* (workspaces: Workspaces, after: RunFeedPosition, limit = 100) {
  const feed = yield* RunFeed
  const upTo = yield* feed.end
  const changes: Array<ChangedRun> = []
  let from = after
  while (from !== upTo) {
    const read = yield* feed.read({ workspaces, after: from, upTo, limit })
    assert.isAtMost(read.changes.length, limit)
    changes.push(...read.changes)
    from = read.next
  }
  return { changes, upTo }
})

/** Repeats `readOn` until the expected changes have come, and returns all changes with the feed's end. */
const readUntil = Effect.fnUntraced(function* (
  workspaces: Workspaces,
  after: RunFeedPosition,
  isThere: (runs: ReadonlyArray<Run>) => boolean
) {
  const changes: Array<ChangedRun> = []
  let from = after
  for (let look = 0; look < LOOKS_MAX; look++) {
    const read = yield* readOn(workspaces, from)
    changes.push(...read.changes)
    from = read.upTo
    if (isThere(changes.map(({ run }) => run))) return { changes, upTo: from }
    yield* Effect.sleep("5 millis")
  }
  throw new Error("What has changed does not appear in the feed")
})

const idsOf = (changes: ReadonlyArray<ChangedRun>) => changes.map(({ run }) => run.id)

/** The contract of every feed of runs. */
export const runFeedContract = <E>(adapter: string, adapterLayer: Layer.Layer<RunStores | RunFeed, E>) =>
  describe(`feed of runs over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      it.effect(
        "gives a run again, as it is by then, whenever it was triggered, began, was asked to stop, ended or was answered",
        () =>
          Effect.gen(function* () {
            const feed = yield* RunFeed
            const settlement = yield* RunSettlement
            const questions = yield* SessionRuns
            let from = yield* feed.end
            const given = yield* givenRuns(1)
            const { first } = given
            const workspaces = [first.workspaceId]
            const becomes = Effect.fnUntraced(function* (isIt: (run: Run) => boolean) {
              const { changes, upTo } = yield* readUntil(workspaces, from, (runs) =>
                runs.some((run) => run.id === first.id && isIt(run))
              )
              const mine = changes.filter(({ run }) => run.id === first.id)
              assert.deepStrictEqual(mine.at(-1)?.run, yield* stored(first))
              from = upTo
            })
            yield* becomes(({ status }) => status === "queued")
            const [claimed] = yield* claimInWorkspaceOf(first)
            yield* becomes(({ status }) => status === "running")
            yield* atomic(settlement.requestCancel(first.id))
            yield* becomes(({ cancelRequestedAt }) => cancelRequestedAt !== null)
            yield* settle(claimed!.claimToken, asking({ ...claimed!.run, cancelRequestedAt: null }))
            yield* becomes(({ paused }) => paused)
            const reply = yield* join(given)
            yield* atomic(questions.answer(first.id, reply.id))
            yield* becomes(({ resumedByRunId }) => resumedByRunId === reply.id)
            const other = yield* givenRuns(1)
            const [asked] = yield* claimInWorkspaceOf(other.first)
            yield* settle(asked!.claimToken, asking(asked!.run))
            yield* atomic(questions.cancelQuestions(other.session.id, at(9)))
            yield* readUntil([other.first.workspaceId], from, (runs) =>
              runs.some(({ questionCancelledAt }) => questionCancelledAt !== null)
            )
          })
      )

      it.effect("gives the runs of the workspaces that are asked for, in one order, page by page", () =>
        Effect.gen(function* () {
          const feed = yield* RunFeed
          const start = yield* feed.end
          const [one, two, three] = [yield* givenRuns(3), yield* givenRuns(2), yield* givenRuns(1)]
          const all = [...one.runs, ...two.runs].map(({ id }) => id)
          const workspaces = [two.first.workspaceId, one.first.workspaceId]
          const { changes } = yield* readUntil(
            [...workspaces, three.first.workspaceId],
            start,
            (runs) => runs.length >= 6
          )
          assert.strictEqual(changes.length, 6)
          for (const limit of [1, 2, 5, 6]) {
            assert.deepStrictEqual(idsOf((yield* readOn(workspaces, start, limit)).changes), all)
          }
          for (const [index, { position }] of changes.entries()) {
            assert.isTrue(yield* feed.hasReached(position))
            const rest = yield* readOn([...workspaces, three.first.workspaceId], position)
            assert.deepStrictEqual(idsOf(rest.changes), idsOf(changes.slice(index + 1)))
          }
          const upTo = yield* feed.end
          const none = yield* feed.read({ workspaces: [], after: start, upTo, limit: 9 })
          assert.deepStrictEqual(none, { changes: [], next: upTo })
        })
      )

      it.effect("gives a run that changed several times once, where it changed last", () =>
        Effect.gen(function* () {
          const feed = yield* RunFeed
          const start = yield* feed.end
          const given = yield* givenRuns(1)
          const later = yield* join(given)
          yield* claimInWorkspaceOf(given.first)
          const { changes } = yield* readUntil([given.first.workspaceId], start, (runs) =>
            runs.some(({ status }) => status === "running")
          )
          const latest = [...new Map(changes.map((change) => [change.run.id, change])).values()]
          assert.sameMembers(idsOf(latest), [given.first.id, later.id])
          const all = yield* readOn([given.first.workspaceId], start)
          assert.deepStrictEqual(idsOf(all.changes), [later.id, given.first.id])
        })
      )

      it.effect("has reached no place beyond its end or that is none", () =>
        Effect.gen(function* () {
          const feed = yield* RunFeed
          const end = yield* feed.end
          assert.isTrue(yield* feed.hasReached(end))
          // A position begins with a number. The rest of it is the adapter's own, and stays.
          const numberless = end.replace(/^\d+/, "")
          for (const text of [`9000000000000000000${numberless}`, `-1${numberless}`, `010${numberless}`, "", "x"]) {
            assert.isFalse(yield* feed.hasReached(RunFeedPosition.make(text)), text)
          }
        })
      )

      it.effect("leaves out no run whose transaction commits after a later one's", () =>
        Effect.gen(function* () {
          const feed = yield* RunFeed
          const [slow, quick] = [yield* givenRuns(1), yield* givenRuns(1)]
          const workspaces = [slow.first.workspaceId, quick.first.workspaceId]
          const start = yield* Effect.map(
            readUntil(workspaces, yield* feed.end, () => true),
            ({ upTo }) => upTo
          )
          const cancelled = (given: typeof slow) =>
            SessionRuns.use((questions) => questions.cancelQuestions(given.session.id, at(9)))
          for (const { first } of [slow, quick]) {
            const [claimed] = yield* claimInWorkspaceOf(first)
            yield* settle(claimed!.claimToken, asking(claimed!.run))
          }
          const early = yield* overtaking(cancelled(slow), atomic(cancelled(quick)), readOn(workspaces, start))
          const isClosed = (run: Run | undefined) => run?.questionCancelledAt != null
          const closed = new Set(early.changes.filter(({ run }) => isClosed(run)).map(({ run }) => run.id))
          yield* readUntil(workspaces, early.upTo, (runs) => {
            for (const run of runs) if (isClosed(run)) closed.add(run.id)
            return closed.has(slow.first.id) && closed.has(quick.first.id)
          })
        })
      )
    })
  })
