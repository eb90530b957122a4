import { atomic, FeedLog, UnitOfWork, type WorkspaceId } from "@agent-platform/kernel"
import { aCaller, aTenant, type Tenants } from "@agent-platform/kernel/testing"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { QUEUED_RUNS_MAX } from "../acceptance/QueueLimit.ts"
import { AgentStore } from "../ports/AgentStore.ts"
import { RunAcceptance } from "../ports/RunAcceptance.ts"
import { RunReader } from "../ports/RunReader.ts"
import { SpendGate } from "../ports/SpendGate.ts"
import { CapReached } from "../Run.ts"
import { Runs, type RunsPorts } from "../Runs.ts"
import { anAgent, aTrigger } from "./builders.ts"

/** The faults that a test causes while runs are accepted, and the writes that were seen. */
export interface Conditions {
  /** Whether the next transaction fails after it has committed. */
  losesAnswer: boolean
  /** Writes of the activity wait for this. */
  gate: Deferred.Deferred<void> | undefined
  /** How many entries each write of the activity had. */
  readonly writes: Array<number>
  /** Workspaces with a full queue, and workspaces whose cap is reached. */
  readonly full: Set<WorkspaceId>
  readonly capped: Set<WorkspaceId>
}

/** The conditions under which the runs of a suite are accepted; each test resets them. */
export class CurrentConditions extends Context.Service<CurrentConditions, Conditions>()(
  "@agent-platform/runs/testing/CurrentConditions"
) {}

/** The name of an agent whose activity can never be written, so that its transaction fails. */
export const POISON = "poison"

const layerConditions = Layer.sync(CurrentConditions, () => ({
  losesAnswer: false,
  gate: undefined,
  writes: [],
  full: new Set<WorkspaceId>(),
  capped: new Set<WorkspaceId>()
}))

/** Ports that follow the conditions. */
const layerExposed = Layer.effectContext(
  Effect.gen(function* () {
    const conditions = yield* CurrentConditions
    const unit = yield* UnitOfWork
    const log = yield* FeedLog
    const acceptance = yield* RunAcceptance
    const answered = Effect.suspend(() => {
      if (!conditions.losesAnswer) return Effect.void
      conditions.losesAnswer = false
      return Effect.die(new Error("The answer was lost"))
    })
    return Context.make(
      UnitOfWork,
      UnitOfWork.of({ atomic: (effect) => Effect.tap(unit.atomic(effect), answered) })
    ).pipe(
      Context.add(FeedLog, {
        ...log,
        record: Effect.fnUntraced(function* (...entries) {
          conditions.writes.push(entries.length)
          if (conditions.gate !== undefined) yield* Deferred.await(conditions.gate)
          if (entries.some(({ summary }) => summary.includes(POISON))) yield* Effect.die(new Error("Poisoned"))
          yield* log.record(...entries)
        })
      }),
      Context.add(SpendGate, {
        admit: ({ workspaceId }) => (conditions.capped.has(workspaceId) ? Effect.fail(new CapReached()) : Effect.void)
      }),
      Context.add(RunAcceptance, {
        ...acceptance,
        countQueued: (id, limit) =>
          conditions.full.has(id) ? Effect.succeed(Math.min(limit, QUEUED_RUNS_MAX)) : acceptance.countQueued(id, limit)
      })
    )
  })
)

/** The ports of the suite: the whole domain under the conditions. */
export type AcceptanceWorld = Runs | RunsPorts | Tenants | CurrentConditions

/** The domain over the given ports, with the conditions. */
export const layerAcceptanceWorld = <E>(
  ports: Layer.Layer<Exclude<RunsPorts, SpendGate> | Tenants, E>
): Layer.Layer<AcceptanceWorld, E> =>
  Runs.layer.pipe(Layer.provideMerge(layerExposed), Layer.provideMerge(layerConditions), Layer.provideMerge(ports))

/** Stores an agent of a tenant of its own. */
export const aStoredAgent = (override: Parameters<typeof anAgent>[1] = {}) =>
  Effect.gen(function* () {
    const caller = aCaller(yield* aTenant())
    const agent = anAgent(caller, override)
    yield* atomic(AgentStore.use((agents) => agents.insert(agent)))
    return { caller, agent }
  })

/** A stored agent and its caller. */
export type Given = Effect.Success<ReturnType<typeof aStoredAgent>>

/** Triggers a run as a request does, in a fiber without a parent. */
export const triggering = ({ agent, caller }: Given, override: Parameters<typeof aTrigger>[2] = {}) =>
  Runs.use((runs) => Effect.forkDetach(runs.triggerRun(aTrigger(caller, agent, override)), { startImmediately: true }))

/** Triggers all of the runs at the same moment, and returns the result of each. */
export const triggerAll = (given: ReadonlyArray<readonly [Given, Parameters<typeof aTrigger>[2]?]>) =>
  Effect.flatMap(
    Effect.forEach(given, ([one, override]) => triggering(one, override)),
    (fibers) => Effect.forEach(fibers, (fiber) => Effect.exit(Fiber.join(fiber)))
  )

/** The ids of the workspace's runs. */
export const runsOf = ({ caller }: Given) =>
  RunReader.use((runs) =>
    Effect.map(runs.list(caller.workspaceId, {}, { limit: 50, before: undefined }), ({ items }) =>
      items.map(({ id }) => id)
    )
  )
