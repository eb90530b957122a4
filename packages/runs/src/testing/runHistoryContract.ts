import { atomic } from "@agent-platform/kernel"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { RunHistory } from "../ports/RunHistory.ts"
import { RunLog } from "../ports/RunLog.ts"
import { SessionRuns } from "../ports/SessionRuns.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import type { Run, RunId } from "../Run.ts"
import { LOG_PAGE_BYTES, type RunEvent } from "../RunEvent.ts"
import type { Session } from "../Session.ts"
import { at, claimInWorkspaceOf, givenRuns, join, type RunStores, settle, stored, succeeded } from "./givenRuns.ts"

/** The contract of every history of runs. */
export const runHistoryContract = <E>(adapter: string, adapterLayer: Layer.Layer<RunStores | RunHistory, E>) =>
  describe(`history of runs over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const tomorrow = Effect.map(DateTime.now, (now) => DateTime.add(now, { days: 1 }))
      /** Forgets runs from the first run of a test on. Runs of other tests are older, or have not ended. */
      const forgetFrom = (first: Run, before: DateTime.Utc, limit = 1_000) =>
        RunHistory.use((history) => atomic(history.forget({ before, after: justBefore(first.id), limit })))
      const finish = (run: Run) =>
        Effect.gen(function* () {
          const [claimed] = yield* claimInWorkspaceOf(run)
          const entry = { runId: run.id, claimToken: claimed!.claimToken }
          const said = { type: "log", createdAt: at(1), attempt: 1, data: { text: "hello" } } as const
          yield* RunLog.use((log) => atomic(log.append([{ ...entry, events: [said] }])))
          yield* settle(claimed!.claimToken, succeeded(claimed!.run))
        })
      const anEndedSession = Effect.gen(function* () {
        const given = yield* givenRuns(1)
        yield* finish(given.first)
        return given
      })
      const session = ({ session: one }: { readonly session: Session }) =>
        SessionStore.use((store) => store.find(one.workspaceId, one.id))

      it.effect("forgets a session whose runs are all over, with their logs", () =>
        Effect.gen(function* () {
          const given = yield* anEndedSession
          const forgotten = yield* forgetFrom(given.first, yield* tomorrow)
          assert.isAtLeast(forgotten.runs, 1)
          assert.isUndefined(yield* stored(given.first))
          assert.isUndefined(yield* session(given))
          assert.isEmpty(yield* RunLog.use((log) => log.read(given.first.id, { after: 0, limit: 10 })))
        })
      )

      it.effect("leaves a session in which a run waits or has ended lately", () =>
        Effect.gen(function* () {
          const given = yield* anEndedSession
          const waiting = yield* join(given)
          const range = { before: yield* tomorrow, after: justBefore(given.first.id) }
          const [before, behind] = yield* RunHistory.use((history) =>
            Effect.all([history.count(range), history.count({ ...range, after: given.first.id })])
          )
          assert.strictEqual(before, behind + 1)
          assert.strictEqual(yield* RunHistory.use((history) => history.count({ ...range, before: at(-3_600) })), 0)
          const { kept, runs } = yield* forgetFrom(given.first, range.before)
          assert.isAtLeast(kept, 2)
          assert.strictEqual(runs + kept, before)
          assert.isDefined(yield* stored(given.first))
          assert.isDefined(yield* stored(waiting))
          const lately = yield* anEndedSession
          yield* forgetFrom(lately.first, at(5))
          assert.isDefined(yield* stored(lately.first))
        })
      )

      it.effect("goes on behind the last run that it looked at, and says when there is none left", () =>
        Effect.gen(function* () {
          const [one, two] = [yield* anEndedSession, yield* anEndedSession]
          const before = yield* tomorrow
          const first = yield* forgetFrom(one.first, before, 1)
          assert.deepStrictEqual(first, { ids: [one.first.id], runs: 1, sessions: 1, kept: 0, last: one.first.id })
          assert.isDefined(yield* stored(two.first))
          const after = two.first.id
          const end = yield* RunHistory.use((history) =>
            atomic(history.forget({ before: at(-3_600), after, limit: 1 }))
          )
          assert.deepStrictEqual(end, { ids: [], runs: 0, sessions: 0, kept: 0, last: undefined })
        })
      )

      it.effect("forgets those of one workspace alone where it is asked to, and says which", () =>
        Effect.gen(function* () {
          const [one, two] = [yield* anEndedSession, yield* anEndedSession]
          const before = yield* tomorrow
          const { workspaceId } = two.session
          const forgotten = yield* RunHistory.use((history) =>
            atomic(history.forget({ before, after: justBefore(one.first.id), limit: 10, workspaceId }))
          )
          assert.deepStrictEqual(forgotten.ids, [two.first.id])
          assert.isDefined(yield* stored(one.first))
        })
      )

      it.effect("keeps everything when its transaction fails", () =>
        Effect.gen(function* () {
          const given = yield* anEndedSession
          const before = yield* tomorrow
          const forget = RunHistory.use((history) =>
            history.forget({ before, after: justBefore(given.first.id), limit: 1 })
          )
          yield* Effect.exit(atomic(Effect.andThen(forget, Effect.fail("refused"))))
          assert.isDefined(yield* stored(given.first))
          assert.isDefined(yield* session(given))
        })
      )

      /** Compresses logs from the first run of a test on, until no run is left. */
      const compressFrom = Effect.fnUntraced(function* (first: Run, before: DateTime.Utc, limit = 1_000) {
        let after: RunId | undefined = justBefore(first.id)
        let logs = 0
        while (after !== undefined) {
          const from: RunId = after
          const compressed = yield* RunHistory.use((history) =>
            atomic(history.compress({ before, after: from, limit }))
          )
          logs += compressed.logs
          after = compressed.last
        }
        return logs
      })
      const DATA: ReadonlyArray<RunEvent["data"]> = [
        {},
        { text: 'é 💡 \u2028 "quoted" \\ \n', nested: { list: [1, 1.5, -2e-7, null, true, { deep: "" }] } },
        { text: "x".repeat(LOG_PAGE_BYTES / 5) },
        ...Array.from({ length: 1_100 }, (_, n) => ({ text: `word ${n} ` })),
        ...Array.from({ length: 7 }, (_, n) => ({ text: String(n).repeat(LOG_PAGE_BYTES / 5) }))
      ]
      const aLongLog = Effect.gen(function* () {
        const { first } = yield* givenRuns(1)
        const [claimed] = yield* claimInWorkspaceOf(first)
        const entry = { runId: first.id, claimToken: claimed!.claimToken }
        const events = DATA.map((data, n) => ({ type: "log", createdAt: at(n / 1_000), attempt: n % 3, data }) as const)
        yield* RunLog.use((log) => atomic(log.append([{ ...entry, events }])))
        return { run: first, claimToken: claimed!.claimToken, end: succeeded(claimed!.run) }
      })
      /** Pages of every kind, the bytes and the end of a log. */
      const readingsOf = ({ id }: Run) =>
        RunLog.use((log) =>
          Effect.all(
            [
              ...[0, 1, 2, 3, 499, 500, 501, 900, DATA.length - 5, DATA.length - 1, DATA.length, 5_000].flatMap(
                (after) => [0, 1, 3, 500, 1_000].map((limit) => log.read(id, { after, limit }))
              ),
              log.bytes(id),
              log.lastSeq(id)
            ],
            { concurrency: 4 }
          )
        )

      it.effect("reads a log alike before and after it is compressed, page by page and to the byte", () =>
        Effect.gen(function* () {
          const { claimToken, end, run } = yield* aLongLog
          yield* settle(claimToken, end)
          const before = yield* readingsOf(run)
          yield* compressFrom(run, yield* tomorrow)
          assert.deepStrictEqual(yield* readingsOf(run), before)
          assert.strictEqual(yield* compressFrom(run, yield* tomorrow), 0)
        })
      )

      it.effect("leaves the logs of runs that go on or have ended lately, which grow and are read as before", () =>
        Effect.gen(function* () {
          const going = yield* aLongLog
          yield* compressFrom(going.run, yield* tomorrow)
          const more = { type: "log", createdAt: at(2), attempt: 1, data: { text: "more" } } as const
          const entry = { runId: going.run.id, claimToken: going.claimToken, events: [more] }
          yield* RunLog.use((log) => atomic(log.append([entry])))
          const last = DATA.length + 1
          const [event] = yield* RunLog.use((log) => log.read(going.run.id, { after: last - 1, limit: 5 }))
          assert.deepInclude(event, { ...more, seq: last })
          const lately = yield* anEndedSession
          assert.strictEqual(yield* compressFrom(lately.first, at(5)), 0)
        })
      )

      it.effect("keeps a log as it is when the transaction that compresses it fails", () =>
        Effect.gen(function* () {
          const { claimToken, end, run } = yield* aLongLog
          yield* settle(claimToken, end)
          const before = yield* readingsOf(run)
          const portion = { before: yield* tomorrow, after: justBefore(run.id), limit: 1 }
          const compress = RunHistory.use((history) => history.compress(portion))
          yield* Effect.exit(atomic(Effect.andThen(compress, Effect.fail("refused"))))
          assert.deepStrictEqual(yield* readingsOf(run), before)
        })
      )

      it.effect("compresses a log once while ten compress and others read it, and forgets it afterwards", () =>
        Effect.gen(function* () {
          const given = [yield* anEndedSession, yield* anEndedSession, yield* anEndedSession]
          const before = yield* tomorrow
          const read = Effect.forEach(given, ({ first }) =>
            RunLog.use((log) => log.read(first.id, { after: 0, limit: 10 }))
          )
          const expected = yield* read
          const together = { concurrency: "unbounded" } as const
          const ten = Array.from({ length: 10 })
          const [, reads] = yield* Effect.all(
            [
              Effect.forEach(ten, () => compressFrom(given[0]!.first, before, 2), together),
              Effect.forEach(ten, () => Effect.repeat(read, { times: 9 }), together)
            ],
            together
          )
          for (const found of reads) assert.deepStrictEqual(found, expected)
          assert.deepStrictEqual(yield* read, expected)
          yield* forgetFrom(given[0]!.first, before)
          assert.deepStrictEqual(yield* read, [[], [], []])
        })
      )

      it.effect("forgets each run once when ten forget at once", () =>
        Effect.gen(function* () {
          const given = [yield* anEndedSession, yield* anEndedSession, yield* anEndedSession]
          const before = yield* tomorrow
          yield* Effect.forEach(Array.from({ length: 10 }), () => forgetFrom(given[0]!.first, before), {
            concurrency: "unbounded"
          })
          // A caller leaves out sessions that another one holds, so the rest is forgotten by one more call.
          yield* forgetFrom(given[0]!.first, before)
          for (const { first } of given) assert.isUndefined(yield* stored(first))
          assert.isUndefined(yield* SessionRuns.use((store) => store.latest(given[0]!.session.id)))
        })
      )
    })
  })

/** The greatest id that is smaller than `id`. */
const justBefore = (id: RunId): RunId => {
  const digits = BigInt(`0x${id.replaceAll("-", "")}`) - 1n
  const hex = digits.toString(16).padStart(32, "0")
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-") as RunId
}
