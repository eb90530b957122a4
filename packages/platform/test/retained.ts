/** A suite for what a workspace's `retention_days` come to, over the stores of every domain. */
import { CallLedger } from "@agent-platform/billing"
import { aCallEnd, aReservation, NOVEMBER } from "@agent-platform/billing/testing"
import { ActivityFeed } from "@agent-platform/feeds"
import {
  atomic,
  ERASED_ID,
  EventLog,
  FeedLog,
  Idempotency,
  type UnitOfWork,
  type WorkspaceCaller
} from "@agent-platform/kernel"
import { aCaller, anActivity, anEvent, Tenants } from "@agent-platform/kernel/testing"
import { TenancyStore } from "@agent-platform/keys"
import { anOrganization, aWorkspace } from "@agent-platform/keys/testing"
import { JobUnderWay, SCHEDULED_JOBS } from "@agent-platform/platform"
import { AgentStore, type Run, RunLog, RunReader, RunSettlement } from "@agent-platform/runs"
import { addRuns, anAgent, aRun, aSession, claimInWorkspaceOf, type RunStores } from "@agent-platform/runs/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Clock, DateTime, Effect, Layer, Result } from "effect"

const [JOB] = SCHEDULED_JOBS.filter(({ kind }) => kind.name === "runs.prune_retained")

type Ports =
  | Exclude<RunStores, Tenants>
  | UnitOfWork
  | TenancyStore
  | EventLog
  | FeedLog
  | ActivityFeed
  | CallLedger
  | Idempotency
  | Effect.Services<NonNullable<typeof JOB>["run"]>

/** How far the job's clock is ahead, so that runs of now are old by then. */
const DAYS_AHEAD = 40

/** A workspace that keeps its runs for so many days. */
const keeping = Effect.fnUntraced(function* (retentionDays: number | null) {
  const tenancy = yield* TenancyStore
  const organization = anOrganization()
  const workspace = aWorkspace({ organizationId: organization.id, retentionDays })
  yield* atomic(Effect.andThen(tenancy.insertOrganization(organization), tenancy.insertWorkspace(workspace)))
  return aCaller({ organizationId: organization.id, workspaceId: workspace.id })
})

/** Runs of one session, queued in this order. */
const givenRuns = Effect.fnUntraced(function* (caller: WorkspaceCaller, count: number) {
  const agent = anAgent(caller)
  const session = aSession(agent)
  const runs = Array.from({ length: count }, () => aRun(agent, session))
  yield* atomic(
    Effect.andThen(
      AgentStore.use((agents) => agents.insert(agent)),
      addRuns(...runs)
    )
  )
  return runs as [Run, ...ReadonlyArray<Run>]
})

/** Has the next run of the workspace say something and end, so many days from now. */
const endNext = Effect.fnUntraced(function* (caller: WorkspaceCaller, days: number) {
  const [claimed] = yield* claimInWorkspaceOf(caller)
  const { claimToken, run } = claimed!
  const now = yield* DateTime.now
  const said = { type: "log", createdAt: now, attempt: 1, data: { text: "hello" } } as const
  yield* RunLog.use((log) => atomic(log.append([{ runId: run.id, claimToken, events: [said] }])))
  const ended = { ...run, status: "failed" as const, finishedAt: DateTime.add(now, { days }) }
  yield* RunSettlement.use((settlement) =>
    atomic(
      Effect.andThen(settlement.hold([{ runId: run.id, claimToken }]), settlement.settle([{ claimToken, run: ended }]))
    )
  )
})

const stored = ({ id, workspaceId }: Run) => RunReader.use((store) => store.find(workspaceId, id))

const requestOf = ({ id, workspaceId }: Run) => ({ scope: workspaceId, route: "POST /runs", key: id, bodyHash: "h" })

/** Stores what the other domains keep of a run, and answers a look at what is left of all of it. */
const withBelongings = Effect.fnUntraced(function* (run: Run) {
  const { id: runId, organizationId, sessionId, workspaceId } = run
  const event = anEvent({ organizationId, workspaceId, runId })
  const entry = anActivity({ organizationId, workspaceId, resourceType: "run", resourceId: runId })
  const call = aReservation({ organizationId, workspaceId, runId, sessionId, agentId: run.agentId })
  const [events, feed, ledger, keys] = [yield* EventLog, yield* FeedLog, yield* CallLedger, yield* Idempotency]
  yield* atomic(
    Effect.gen(function* () {
      yield* events.append(event)
      yield* feed.record(entry)
      yield* keys.claim(requestOf(run))
      yield* keys.record({ request: requestOf(run), resourceId: runId })
    })
  )
  yield* ledger.reserve(call)
  yield* atomic(ledger.settle(workspaceId, call.id, aCallEnd()))
  const scope = { organizationId, workspaceId, includesOrganization: false }
  const listed = ActivityFeed.use((activity) =>
    Effect.map(activity.list(scope, {}, { limit: 100, before: undefined }), ({ items }) => items)
  )
  return Effect.gen(function* () {
    const [claim] = yield* atomic(keys.claim(requestOf(run)))
    return {
      run: (yield* stored(run)) !== undefined,
      log: (yield* RunLog.use((log) => log.read(runId, { after: 0, limit: 10 }))).length > 0,
      event: (yield* events.find([event.id])).length > 0,
      key: claim !== undefined && Result.isSuccess(claim) && claim.success !== undefined,
      link: (yield* ledger.find(workspaceId, call.id))?.runId !== ERASED_ID,
      entry: (yield* listed).some(({ id }) => id === entry.id)
    }
  })
})

const ALL = { run: true, log: true, event: true, key: true, link: true, entry: true }
const NOTHING = { run: false, log: false, event: false, key: false, link: false, entry: false }

/** A run of a session of its own that ended so many days from now, with all that belongs to it. */
const aRunOf = Effect.fnUntraced(function* (caller: WorkspaceCaller, days: number) {
  const [run] = yield* givenRuns(caller, 1)
  yield* endNext(caller, days)
  return yield* withBelongings(run)
})

/** Does the job as of `DAYS_AHEAD` from now, from a cursor on; answers its line, and the cursors that it reported. */
const pruned = Effect.fnUntraced(function* (cursor: string | null = null) {
  const clock = yield* Clock.Clock
  const millis = DAYS_AHEAD * 86_400_000
  const ahead: Clock.Clock = Object.assign(Object.create(clock), {
    currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + millis,
    currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + millis)
  })
  const cursors: Array<string | null> = []
  const line = yield* JOB!.run.pipe(
    Effect.provideService(Clock.Clock, ahead),
    Effect.provideService(JobUnderWay, {
      cursor,
      report: (progress) => Effect.sync(() => void cursors.push(progress.cursor))
    })
  )
  return { line, cursors }
})

/** Holds the job `runs.prune_retained` to what `retention_days` promise. The database must be its own. */
export const retainedSuite = <E>(adapter: string, layer: Layer.Layer<Ports, E>) =>
  describe(`workspaces with retention_days over ${adapter}`, () => {
    suite(Layer.provideMerge(Tenants.layerUnfounded, layer), { excludeTestServices: true })((it) => {
      it.effect("lose sessions whose last run ended before, with all that belongs to their runs, and no sum", () =>
        Effect.gen(function* () {
          const [caller, other] = [yield* keeping(30), yield* keeping(null)]
          const [old, young, kept] = [yield* aRunOf(caller, 0), yield* aRunOf(caller, 20), yield* aRunOf(other, 0)]
          const month = CallLedger.use((ledger) => ledger.month(caller.workspaceId, NOVEMBER.start))
          const before = yield* month
          const { line } = yield* pruned()
          assert.strictEqual(line, "Forgot 1 runs of 1 workspaces with a retention of their own")
          assert.deepStrictEqual(yield* old, NOTHING)
          assert.deepStrictEqual(yield* young, ALL)
          assert.deepStrictEqual(yield* kept, ALL)
          assert.isDefined(before)
          assert.deepStrictEqual(yield* month, before)
          assert.match((yield* pruned()).line, /^Forgot 0 runs of 1 workspaces/)
        })
      )

      it.effect("keep a session whose last run is young, or has not ended, whole", () =>
        Effect.gen(function* () {
          const [talking, waiting] = [yield* keeping(1), yield* keeping(1)]
          const runs = [...(yield* givenRuns(talking, 2)), ...(yield* givenRuns(waiting, 2))]
          yield* endNext(talking, 0)
          yield* endNext(talking, DAYS_AHEAD)
          yield* endNext(waiting, 0)
          yield* pruned()
          for (const run of runs) assert.isDefined(yield* stored(run))
        })
      )

      it.effect("are gone through in order, and from where the job was broken off", () =>
        Effect.gen(function* () {
          const callers = [yield* keeping(30), yield* keeping(30), yield* keeping(30)].toSorted((one, two) =>
            one.workspaceId < two.workspaceId ? -1 : 1
          )
          const looks = yield* Effect.forEach(callers, (caller) => aRunOf(caller, 0))
          const [first, second, third] = callers.map(({ workspaceId }) => workspaceId)
          const { cursors } = yield* pruned(first)
          assert.notInclude(cursors, first)
          assert.isBelow(cursors.indexOf(second!), cursors.indexOf(third!))
          assert.include(cursors, third)
          assert.deepStrictEqual(yield* Effect.all(looks), [ALL, NOTHING, NOTHING])
          yield* pruned()
          assert.deepStrictEqual(yield* looks[0]!, NOTHING)
        })
      )
    })
  })
