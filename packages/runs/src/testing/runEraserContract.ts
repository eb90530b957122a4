import { atomic } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { AgentStore } from "../ports/AgentStore.ts"
import { CheckpointStore } from "../ports/CheckpointStore.ts"
import { RunEraser, type RunSelection } from "../ports/RunEraser.ts"
import { RunHistory } from "../ports/RunHistory.ts"
import { RunLog } from "../ports/RunLog.ts"
import { SessionRuns } from "../ports/SessionRuns.ts"
import { SessionStore } from "../ports/SessionStore.ts"
import { type Run, RunId } from "../Run.ts"
import { SessionId } from "../Session.ts"
import {
  asking,
  at,
  claimInWorkspaceOf,
  givenRuns,
  join,
  NEVER,
  type RunStores,
  settle,
  stored,
  succeeded
} from "./givenRuns.ts"

const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff"

/** A position after every outcome, as the store over Postgres writes it: mark, workspace and run. */
const ALL_COUNTED = `9000000000000000000/${LAST}/${LAST}`

/** The contract of every eraser of runs, sessions and agents. */
export const runEraserContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<RunStores | RunEraser | RunHistory | CheckpointStore, E>
) =>
  describe(`eraser of runs over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const finish = (run: Run, ending = succeeded) =>
        Effect.gen(function* () {
          const [claimed] = yield* claimInWorkspaceOf(run)
          const { claimToken, run: running } = claimed!
          const said = { type: "log", createdAt: at(1), attempt: 1, data: { text: "hello" } } as const
          yield* RunLog.use((log) => atomic(log.append([{ runId: run.id, claimToken, events: [said] }])))
          yield* settle(claimToken, ending(running))
        })
      const remove = (selection: RunSelection, max = 100) =>
        RunEraser.use((eraser) =>
          atomic(
            Effect.gen(function* () {
              const { ids, isLast } = yield* eraser.hold(selection, { countedTo: ALL_COUNTED, max })
              return { ids, isLast, counts: yield* eraser.remove(selection.workspaceId, ids) }
            })
          )
        )
      const ofSession = ({ session }: Effect.Success<ReturnType<typeof givenRuns>>): RunSelection => ({
        workspaceId: session.workspaceId,
        sessionId: session.id
      })

      it.effect("counts and removes entries of logs, compressed ones as well", () =>
        Effect.gen(function* () {
          const given = yield* givenRuns(2)
          yield* finish(given.runs[0]!)
          const compress = { before: NEVER, after: undefined, limit: 10_000 }
          yield* RunHistory.use((history) => atomic(history.compress(compress)))
          yield* finish(given.runs[1]!)
          const count = (max: number) => RunEraser.use((eraser) => eraser.countRuns(ofSession(given), max))
          assert.deepStrictEqual(yield* count(100), { runs: 2, log_entries: 2 })
          assert.deepStrictEqual(yield* count(1), { runs: 1, log_entries: 1 })
          assert.deepInclude((yield* remove(ofSession(given))).counts, { runs: 2, log_entries: 2 })
        })
      )

      it.effect("removes the runs of a session with their logs, and the session with the last", () =>
        Effect.gen(function* () {
          const given = yield* givenRuns(2)
          yield* finish(given.runs[0]!)
          yield* finish(given.runs[1]!)
          const counted = yield* RunEraser.use((eraser) => eraser.countRuns(ofSession(given), 100))
          assert.deepStrictEqual(counted, { runs: 2, log_entries: 2 })
          const first = yield* remove(ofSession(given), 1)
          assert.deepInclude(first, { isLast: false, counts: { runs: 1, log_entries: 1, sessions: 0 } })
          const second = yield* remove(ofSession(given), 1)
          assert.deepInclude(second, { isLast: true, counts: { runs: 1, log_entries: 1, sessions: 1 } })
          for (const run of given.runs) {
            assert.isUndefined(yield* stored(run))
            assert.isEmpty(yield* RunLog.use((log) => log.read(run.id, { after: 0, limit: 10 })))
          }
          const { id, workspaceId } = given.session
          assert.isUndefined(yield* SessionStore.use((sessions) => sessions.find(workspaceId, id)))
        })
      )

      it.effect("leaves no checkpoint in a session of which it has removed a run", () =>
        Effect.gen(function* () {
          const given = yield* givenRuns(2)
          for (const run of given.runs) {
            const [claimed] = yield* claimInWorkspaceOf(run)
            const { claimToken } = claimed!
            yield* CheckpointStore.use((store) =>
              atomic(store.save({ run, claimToken, state: run.id, kept: run === given.runs[1] }))
            )
            yield* settle(claimToken, succeeded(claimed!.run))
          }
          yield* remove({ workspaceId: given.session.workspaceId, runId: given.first.id })
          const load = ({ id, workspaceId }: Run) => CheckpointStore.use((store) => store.load(workspaceId, id))
          assert.deepStrictEqual(yield* Effect.forEach(given.runs, load), [undefined, undefined])
          assert.isDefined(yield* stored(given.runs[1]!))
        })
      )

      it.effect("leaves what has not ended, and answers it with its claim", () =>
        Effect.gen(function* () {
          const given = yield* givenRuns(2)
          const [claimed] = yield* claimInWorkspaceOf(given.first)
          assert.deepInclude(yield* remove(ofSession(given)), { ids: [], isLast: false })
          const held = yield* RunEraser.use((eraser) => eraser.unfinished(ofSession(given), 10))
          assert.sameMembers(
            held.map(({ claimToken, run }) => `${run.id} ${claimToken}`),
            [`${given.runs[0]!.id} ${claimed!.claimToken}`, `${given.runs[1]!.id} null`]
          )
        })
      )

      it.effect(
        "removes one run and keeps its session: the next is the first of it, and open questions are closed",
        () =>
          Effect.gen(function* () {
            const given = yield* givenRuns(1)
            yield* finish(given.first)
            const second = yield* join(given)
            yield* finish(second, asking)
            const one = { workspaceId: given.session.workspaceId, runId: given.first.id }
            assert.deepInclude(yield* remove(one), { ids: [given.first.id], isLast: true })
            assert.isUndefined(yield* stored(given.first))
            assert.isNotNull((yield* stored(second))?.questionCancelledAt)
            assert.isUndefined(yield* SessionRuns.use((runs) => runs.openQuestion(given.session.id)))
            const page = { limit: 10, before: undefined }
            const { items } = yield* SessionStore.use((sessions) => sessions.beginnings(one.workspaceId, {}, page))
            assert.deepStrictEqual(
              items.map(({ runId }) => runId),
              [second.id]
            )
          })
      )

      it.effect("waits for a run that is executed in the same session, and names it as unfinished", () =>
        Effect.gen(function* () {
          const given = yield* givenRuns(1)
          yield* finish(given.first)
          const second = yield* join(given)
          const [claimed] = yield* claimInWorkspaceOf(second)
          const one = { workspaceId: given.session.workspaceId, runId: given.first.id }
          assert.deepInclude(yield* remove(one), { ids: [], isLast: false })
          const held = yield* RunEraser.use((eraser) => eraser.unfinished(one, 10))
          assert.deepStrictEqual(
            held.map(({ run }) => run.id),
            [second.id]
          )
          yield* settle(claimed!.claimToken, succeeded(claimed!.run))
          assert.deepInclude(yield* remove(one), { ids: [given.first.id] })
        })
      )

      it.effect("names what has not ended in an organization, no further than asked for", () =>
        Effect.gen(function* () {
          const given = yield* givenRuns(3)
          const { organizationId } = given.session
          yield* finish(given.runs[0]!)
          const named = (max: number) =>
            RunEraser.use((eraser) =>
              Effect.map(eraser.unfinishedOf(organizationId, max), (held) => held.map(({ run }) => run.id))
            )
          const ids = given.runs.map(({ id }) => id)
          assert.sameMembers([...(yield* named(100))], ids.slice(1))
          assert.lengthOf(yield* named(1), 1)
          const [claimed] = yield* claimInWorkspaceOf(given.runs[1]!)
          assert.isDefined(claimed)
          assert.sameMembers([...(yield* named(100))], ids.slice(1))
          assert.notIncludeMembers(
            [...(yield* named(100))],
            (yield* givenRuns(1)).runs.map(({ id }) => id)
          )
        })
      )

      it.effect("counts the sessions that go with a run, or with those of an agent", () =>
        Effect.gen(function* () {
          const { agent, runs, session } = yield* givenRuns(2)
          const count = (selection: Omit<RunSelection, "workspaceId">) =>
            RunEraser.use((eraser) => eraser.countRuns({ workspaceId: session.workspaceId, ...selection }, 100))
          assert.deepInclude(yield* count({ agentId: agent.id }), { runs: 2, sessions: 1 })
          assert.deepInclude(yield* count({ runId: runs[0]!.id }), { runs: 1, sessions: 0 })
        })
      )

      it.effect("closes a session: it is not found any more, and no other workspace closes it", () =>
        Effect.gen(function* () {
          const given = yield* givenRuns(1)
          const { id, workspaceId } = given.session
          const close = (workspace: typeof workspaceId, session: SessionId) =>
            RunEraser.use((eraser) => atomic(eraser.closeSession(workspace, session)))
          const other = yield* givenRuns(1)
          assert.isFalse(yield* close(other.session.workspaceId, id))
          assert.isFalse(yield* close(workspaceId, anId(SessionId)))
          assert.isDefined(yield* SessionStore.use((sessions) => sessions.find(workspaceId, id)))
          assert.isTrue(yield* close(workspaceId, id))
          assert.isUndefined(yield* SessionStore.use((sessions) => sessions.find(workspaceId, id)))
          assert.isUndefined(yield* SessionStore.use((sessions) => atomic(sessions.hold(workspaceId, id))))
          assert.isTrue(yield* close(workspaceId, id))
        })
      )

      it.effect("erases the agents of a workspace once they have no runs, and none of another", () =>
        Effect.gen(function* () {
          const [given, other] = [yield* givenRuns(1), yield* givenRuns(1)]
          const { id, organizationId, workspaceId } = given.agent
          const what = { _tag: "Tenant", organizationId, workspaceId } as const
          const erase = RunEraser.use((eraser) => atomic(eraser.erase(what, 100)))
          const find = AgentStore.use((agents) => agents.recall(workspaceId, id))
          yield* erase
          assert.isDefined(yield* find)
          yield* finish(given.first)
          yield* remove({ workspaceId })
          assert.strictEqual((yield* erase).counts["agents"], 1)
          assert.isUndefined(yield* find)
          assert.isTrue((yield* erase).isOver)
          assert.isDefined(yield* AgentStore.use((agents) => agents.recall(other.agent.workspaceId, other.agent.id)))
        })
      )

      it.effect("removes nothing of another workspace, whatever ids it is given", () =>
        Effect.gen(function* () {
          const [given, other] = [yield* givenRuns(1), yield* givenRuns(1)]
          yield* finish(given.first)
          yield* RunEraser.use((eraser) =>
            atomic(eraser.remove(other.session.workspaceId, [given.first.id, anId(RunId)]))
          )
          assert.isDefined(yield* stored(given.first))
        })
      )
    })
  })
