/** A page of sessions that is searched ends after a bounded look, and goes on from there. */
import { layer as kernel } from "@agent-platform/kernel/memory"
import { aCaller, anId } from "@agent-platform/kernel/testing"
import { AgentId, RunId, SessionId, SessionRuns, SessionStore } from "@agent-platform/runs"
import { layer as stores } from "@agent-platform/runs/memory"
import { BUILT_AT } from "@agent-platform/runs/testing"
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { readPosition } from "../src/RunList.ts"
import { placeOf, SESSIONS_LOOKED_AT_MAX, type SessionBeginning, toBeginningPage } from "../src/SessionList.ts"
import { listSessions } from "../src/use-cases/listSessions.ts"

const caller = aCaller()

/** Sessions a second apart, newest first; every one is read by `beginnings`, which counts them. */
const world = (count: number, messageOf: (index: number) => string) => {
  const looks = { begun: 0, standings: 0 }
  const all = Array.from(
    { length: count },
    (_, index): SessionBeginning => ({
      runId: anId(RunId),
      sessionId: anId(SessionId),
      workspaceId: caller.workspaceId,
      agentId: anId(AgentId),
      createdAt: DateTime.subtract(BUILT_AT, { seconds: index }),
      firstMessage: messageOf(index)
    })
  )
  const sessions = Layer.effect(
    SessionStore,
    SessionStore.use((store) =>
      Effect.succeed({
        ...store,
        beginnings: (_workspaceId, _filter, { before, limit }) => {
          const start =
            before === undefined
              ? 0
              : all.findIndex((one) => DateTime.isLessThan(placeOf(one).createdAt, before.createdAt))
          const page = toBeginningPage(start === -1 ? [] : all.slice(start, start + limit + 1), limit)
          looks.begun += page.items.length
          return Effect.succeed(page)
        }
      } satisfies SessionStore["Service"])
    )
  )
  const sessionRuns = Layer.effect(
    SessionRuns,
    SessionRuns.use((store) =>
      Effect.succeed({
        ...store,
        standings: (ids) => {
          looks.standings += ids.length
          const standing = { unfinished: { queued: 0, running: 0 }, latest: undefined, question: undefined }
          return Effect.succeed(new Map(ids.map((id) => [id, standing])))
        }
      } satisfies SessionRuns["Service"])
    )
  )
  const ports = Layer.merge(sessions, sessionRuns).pipe(Layer.provide(Layer.provideMerge(stores, kernel)))
  return { all, looks, ports }
}

const named = (items: ReadonlyArray<SessionBeginning>) => items.map(({ firstMessage }) => firstMessage)

it.effect("looks at so many sessions and no more, and finds the rest on later pages", () => {
  const { looks, ports } = world(2 * SESSIONS_LOOKED_AT_MAX + 10, (index) => `n${index}n`)
  const rare = `n${2 * SESSIONS_LOOKED_AT_MAX + 5}n`
  return Effect.gen(function* () {
    const find = (before: string | undefined) =>
      listSessions({ caller, filter: { search: rare }, page: { limit: 5, before } })
    const first = yield* find(undefined)
    assert.isEmpty(first.items)
    assert.deepStrictEqual(looks, { begun: SESSIONS_LOOKED_AT_MAX, standings: 0 })
    assert.isDefined(readPosition(first.next!))
    const second = yield* find(first.next)
    assert.isEmpty(second.items)
    const third = yield* find(second.next)
    assert.deepStrictEqual([named(third.items), third.next], [[rare], undefined])
  }).pipe(Effect.provide(ports))
})

it.effect("ends a full page behind its last session, where more of the portion are meant", () => {
  const { all, ports } = world(600, (index) => (index % 2 === 0 ? "even" : "odd"))
  return Effect.gen(function* () {
    const seen: Array<string> = []
    let before: string | undefined
    do {
      const page = yield* listSessions({
        caller,
        filter: { search: "even", status: "idle" },
        page: { limit: 50, before }
      })
      assert.isAtMost(page.items.length, 50)
      seen.push(...page.items.map(({ runId }) => runId))
      before = page.next
    } while (before !== undefined)
    assert.deepStrictEqual(
      seen,
      all.filter((_, index) => index % 2 === 0).map(({ runId }) => runId)
    )
  }).pipe(Effect.provide(ports))
})

it.effect("reads no more than a page where nothing is searched for", () => {
  const { looks, ports } = world(600, () => "x")
  return Effect.gen(function* () {
    const page = yield* listSessions({ caller, filter: {}, page: { limit: 20, before: undefined } })
    assert.strictEqual(page.items.length, 20)
    assert.deepStrictEqual(looks, { begun: 20, standings: 20 })
  }).pipe(Effect.provide(ports))
})
