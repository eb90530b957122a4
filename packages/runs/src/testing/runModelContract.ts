import { atomic, EventLog, Outbox, type WorkspaceCaller } from "@agent-platform/kernel"
import { aCaller, aTenant, type Tenants } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Arbitrary, DateTime, Effect, type Layer } from "effect"
import type { Agent } from "../Agent.ts"
import { endingOf } from "../endingOf.ts"
import { AgentStore } from "../ports/AgentStore.ts"
import { RunLog } from "../ports/RunLog.ts"
import { type ClaimedRun, RunQueue } from "../ports/RunQueue.ts"
import { isTerminal, Run, type RunId, type TurnEnd } from "../Run.ts"
import { endsLog } from "../RunEvent.ts"
import { Runs, type RunsPorts } from "../Runs.ts"
import type { SessionId } from "../Session.ts"
import { beginRuns } from "../use-cases/beginRuns.ts"
import { recoverRuns } from "../use-cases/recoverRuns.ts"
import { type Settlement, settleRuns } from "../use-cases/settleRuns.ts"
import { NO_TURNS } from "../worker/shares.ts"
import { anAgent } from "./builders.ts"
import { freshBy, sharesOnlyFor, stored } from "./givenRuns.ts"
import { RunAct, RunModel } from "./runModel.ts"

/** The ports of the model's suite: the whole domain, and the queue of its events. */
export type RunModelPorts = Runs | RunsPorts | Tenants

const OUTCOMES: Readonly<Record<"succeed" | "pause" | "fail", TurnEnd>> = {
  succeed: { _tag: "Succeeded", result: 1, message: "done" },
  pause: { _tag: "Paused", message: "Shall I?", interrupt: null },
  fail: { _tag: "Failed", errorCode: "agent_error", error: "no" }
}

/** Makes the domain and its model, on which each act is done in parallel. */
const makeWorld = Effect.gen(function* () {
  const caller: WorkspaceCaller = aCaller(yield* aTenant())
  const agent: Agent = anAgent(caller)
  yield* atomic(AgentStore.use((agents) => agents.insert(agent)))
  return {
    caller,
    agent,
    model: new RunModel(),
    ids: [] as Array<RunId>,
    sessions: new Map<number, SessionId>(),
    claims: [] as Array<ClaimedRun>
  }
})
type World = Effect.Success<typeof makeWorld>

const settle = ({ claims }: World, claimNumber: number, becomes: Settlement["becomes"]) => {
  const claimed = claims[claimNumber]
  return claimed === undefined ? Effect.void : Effect.asVoid(atomic(settleRuns([{ ...claimed, becomes, events: [] }])))
}

const perform = Effect.fnUntraced(function* (world: World, act: RunAct) {
  const { agent, caller, claims, ids, model, sessions } = world
  const runs = yield* Runs
  const now = yield* DateTime.now
  const claimNumber = "claim" in act && claims.length > 0 ? act.claim % claims.length : 0
  switch (act.act) {
    case "trigger": {
      const { ifBusy, maxAttempts } = act
      const expected = model.trigger(act.session, maxAttempts, ifBusy)
      const command = { caller, agentId: agent.id, sessionId: sessions.get(act.session), maxAttempts, ifBusy }
      if (expected === "busy") {
        assert.strictEqual((yield* Effect.flip(runs.triggerRun(command)))._tag, "SessionBusy")
        return
      }
      const { value } = yield* runs.triggerRun(command)
      ids.push(value.id)
      sessions.set(act.session, value.sessionId)
      return
    }
    case "claim": {
      const expected = model.claim(act.doomed)
      const shares = sharesOnlyFor([caller])
      const leaseSeconds = act.doomed ? 0 : 3_600
      const { claimed } = yield* beginRuns({ by: freshBy(), max: 100, shares, after: NO_TURNS, leaseSeconds })
      const got = claimed.map((one) => ids.indexOf(one.run.id))
      assert.sameMembers(got, [...expected])
      for (const [index, one] of claimed.entries()) {
        model.runs[got[index]!]!.claim = claims.length
        claims.push(one)
      }
      return
    }
    case "end": {
      model.end(claimNumber, act.how)
      return yield* settle(world, claimNumber, (run) => Run.finished(run, endingOf(OUTCOMES[act.how]), now))
    }
    case "handBack": {
      model.handBack(claimNumber)
      return yield* settle(world, claimNumber, (run) => Run.handedBack(run, now))
    }
    case "say": {
      const claimed = claims[claimNumber]
      if (claimed === undefined) return
      const event = { type: "log", createdAt: now, attempt: claimed.run.attempt, data: { text: "…" } } as const
      const entry = { runId: claimed.run.id, claimToken: claimed.claimToken, events: [event] }
      return yield* atomic(RunLog.use((log) => log.append([entry])))
    }
    case "renew": {
      const claimed = claims[claimNumber]
      if (claimed === undefined) return
      model.renew(claimNumber)
      yield* RunQueue.use((store) => store.renew([claimed.claimToken], { leaseSeconds: 3_600 }))
      return
    }
    case "recover": {
      model.recover(act.graceOver)
      yield* recoverRuns({ graceSeconds: act.graceOver ? 0 : 3_600 })
      return
    }
    case "reply": {
      const sessionId = sessions.get(act.session)
      if (sessionId === undefined) return
      const named = act.run === null ? undefined : act.run % ids.length
      const expected = model.reply(act.session, named)
      const runId = named === undefined ? undefined : ids[named]
      const replied = yield* Effect.result(runs.replyToSession({ caller, sessionId, message: "Yes", runId }))
      if (typeof expected === "string") {
        assert.strictEqual(replied._tag === "Failure" ? replied.failure._tag : "accepted", expected)
        return
      }
      if (replied._tag === "Failure") return yield* Effect.die(replied.failure)
      const { value } = replied.success
      assert.strictEqual(value.resumesRunId, expected.resumes === undefined ? null : ids[expected.resumes]!)
      ids.push(value.id)
      return
    }
    case "cancel": {
      const sessionId = sessions.get(act.session)
      if (sessionId === undefined) return
      model.cancel(act.session, act.mode)
      yield* runs.cancelSession({ caller, sessionId, mode: act.mode, reason: null })
      return
    }
  }
})

/** Asserts that every run is as in the model, and that its log has no gap. */
const compare = Effect.fnUntraced(function* ({ caller, ids, model }: World) {
  const log = yield* RunLog
  const ended: Array<Run> = []
  for (const [number, id] of ids.entries()) {
    const run = yield* stored({ workspaceId: caller.workspaceId, id } as Run)
    const expected = model.runs[number]!
    assert.deepInclude(
      {
        status: run?.status,
        paused: run?.paused,
        attempt: run?.attempt,
        handBacks: run?.handBacks,
        cancelRequested: run?.cancelRequestedAt !== null,
        questionCancelled: run?.questionCancelledAt !== null,
        answeredBy: run?.resumedByRunId === null ? undefined : ids.indexOf(run!.resumedByRunId)
      },
      {
        status: expected.status,
        paused: expected.paused,
        attempt: expected.attempt,
        handBacks: expected.handBacks,
        cancelRequested: expected.cancelRequested,
        questionCancelled: expected.questionCancelled,
        answeredBy: expected.answeredBy
      },
      `run ${number}`
    )
    const events = yield* log.read(id, { after: 0, limit: 1_000 })
    assert.deepStrictEqual(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1)
    )
    const last = events.filter(({ type }) => endsLog(type))
    assert.strictEqual(last.length, isTerminal(run!) ? 1 : 0, `the end of log ${number}`)
    if (last.length === 1) assert.strictEqual(events.at(-1), last[0])
    if (isTerminal(run!)) ended.push(run!)
  }
  return ended
})

/** The published outcomes of these runs, by run. */
const published = Effect.fnUntraced(function* (ids: ReadonlyArray<RunId>) {
  const outbox = yield* Outbox
  const found: Array<{ readonly type: string; readonly runId: string }> = []
  while (true) {
    const taken = yield* outbox.take(100)
    if (taken.length === 0) return found.filter(({ runId }) => ids.some((id) => id === runId))
    const events = yield* EventLog.use((log) => log.find(taken.map(({ id }) => id)))
    for (const { data, type } of events) found.push({ type, runId: String(JSON.parse(data).run_id) })
    yield* atomic(outbox.complete(taken))
  }
})

const holds = Effect.fnUntraced(function* (acts: ReadonlyArray<RunAct>) {
  const world = yield* makeWorld
  for (const act of acts) {
    yield* perform(world, act)
    yield* compare(world)
  }
  const ended = yield* compare(world)
  const events = yield* published(world.ids)
  assert.sameMembers(
    events.map(({ runId, type }) => `${runId} ${type}`),
    ended.map((run) => `${run.id} ${run.paused ? "run.paused" : `run.${run.status}`}`)
  )
  return true
})

/**
 * After any acts in any order every run is as in the model, its log has no gap, and its outcome was published once. `runs`
 * sequences of up to 40 acts are tried, other ones each time unless there is a `seed`. A failure is shrunk, and printed with what
 * repeats it.
 */
export const runModelContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<RunModelPorts, E>,
  options: { readonly runs: number; readonly seed?: number }
) =>
  describe(`runs over ${adapter}, whatever happens to them`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      it.effect(
        "are what the model says, after every act of callers, workers and their late writes",
        () =>
          Effect.gen(function* () {
            const acts = Arbitrary.array(Arbitrary.schema(RunAct), { minLength: 1, maxLength: 40 })
            const property = (some: ReadonlyArray<RunAct>) =>
              Effect.catchDefect(Effect.scoped(holds(some)), (defect) => Effect.fail(String(defect)))
            const result = yield* Arbitrary.checkEffect(acts, property, { size: 200, ...options })
            assert.isUndefined(Arbitrary.formatCheckFailure(result))
          }),
        120_000
      )
    })
  })
