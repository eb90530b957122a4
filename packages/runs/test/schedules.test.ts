import { atomic } from "@agent-platform/kernel"
import { aCaller, aTenant, Tenants } from "@agent-platform/kernel/testing"
import {
  type Agent,
  AgentStore,
  CapReached,
  RunAcceptance,
  type RunId,
  RunReader,
  Runs,
  type Schedule,
  ScheduleStore,
  Schedules,
  SpendGate,
  WorkspaceClosed
} from "@agent-platform/runs"
import { anAgent, aSchedule } from "@agent-platform/runs/testing"
import { assert, describe, layer } from "@effect/vitest"
import { Context, DateTime, Effect, Layer, Order } from "effect"
import { TestClock } from "effect/testing"
import { memory } from "./support.ts"

/** The faults that a test causes. */
class Faults extends Context.Service<
  Faults,
  {
    /** The refusal of every run of a workspace. */
    readonly refused: Map<string, CapReached | WorkspaceClosed>
    /** Messages whose runs cannot be written. */
    readonly poison: Set<string>
  }
>()("Faults") {}

const layerFaults = Layer.effectContext(
  Effect.gen(function* () {
    const faults = { refused: new Map<string, CapReached | WorkspaceClosed>(), poison: new Set<string>() }
    const acceptance = yield* RunAcceptance
    return Context.make(Faults, faults).pipe(
      Context.add(SpendGate, {
        admit: ({ workspaceId }) => {
          const refusal = faults.refused.get(workspaceId)
          return refusal === undefined ? Effect.void : Effect.fail(refusal)
        }
      }),
      Context.add(RunAcceptance, {
        ...acceptance,
        insert: (added) =>
          added.some(({ run }) => faults.poison.has(run.prompt ?? ""))
            ? Effect.die(new Error("It cannot be written"))
            : acceptance.insert(added)
      })
    )
  })
)

const world = Layer.merge(
  Layer.provideMerge(Schedules.layer, Layer.provideMerge(layerFaults, memory())),
  Tenants.layerUnfounded
)

const NOON = DateTime.makeUnsafe("2026-11-21T12:00:00Z")
const at = (minutes: number, seconds = 0) => DateTime.add(NOON, { minutes, seconds })

const DAILY: Partial<Schedule> = { cron: "0 12 * * *", timezone: "UTC", nextRunAt: NOON }

const aStoredAgent = Effect.gen(function* () {
  const agent = anAgent(aCaller(yield* aTenant()))
  yield* atomic(AgentStore.use((agents) => agents.insert(agent)))
  return agent
})

const given = Effect.fnUntraced(function* (agent: Agent, override: Partial<Schedule> = {}) {
  const schedule = aSchedule(agent, { ...DAILY, ...override })
  yield* atomic(ScheduleStore.use((store) => store.insert(schedule)))
  return schedule
})

const found = ({ id, workspaceId }: Schedule) =>
  Effect.map(
    ScheduleStore.use((store) => store.find(workspaceId, id)),
    (schedule) => schedule!
  )

const fire = Schedules.use((schedules) => schedules.fireSchedules())

const runsOf = ({ workspaceId }: Pick<Schedule, "workspaceId">) =>
  Effect.map(
    RunReader.use((runs) => runs.list(workspaceId, {}, { limit: 10_000, before: undefined })),
    ({ items }) => items
  )

describe("schedules", () => {
  layer(world)((it) => {
    it.effect("make a run as one that is triggered, once it is due", () =>
      Effect.gen(function* () {
        const agent = yield* aStoredAgent
        const schedule = yield* given(agent)
        yield* TestClock.setTime(DateTime.toEpochMillis(at(0, -1)))
        assert.strictEqual(yield* fire, 0)
        yield* TestClock.setTime(DateTime.toEpochMillis(at(0, 20)))
        assert.strictEqual(yield* fire, 1)
        assert.strictEqual(yield* fire, 0)
        const [run] = yield* runsOf(schedule)
        assert.deepInclude(run, {
          agentId: agent.id,
          status: "queued",
          prompt: "Hello",
          input: schedule.input,
          metadata: schedule.metadata,
          tags: schedule.tags,
          runAt: NOON,
          trigger: { type: "schedule", id: schedule.id }
        })
        assert.deepInclude(yield* found(schedule), {
          lastRunId: run?.id as RunId,
          lastRunAt: NOON,
          lastError: null,
          nextRunAt: DateTime.add(NOON, { days: 1 }),
          version: 1
        })
      })
    )

    it.effect("make the run of each time that is late, and of what was missed none or one", () =>
      Effect.gen(function* () {
        const agent = yield* aStoredAgent
        const often = { cron: "* * * * *", nextRunAt: NOON }
        const [late, skips, once] = [
          yield* given(agent, { ...often, nextRunAt: at(26) }),
          yield* given(agent, often),
          yield* given(agent, { ...often, missed: "once" })
        ]
        const rare = yield* given(agent)
        yield* TestClock.setTime(DateTime.toEpochMillis(at(30, 30)))
        yield* fire
        const made = yield* runsOf(agent)
        const timesOf = ({ id }: Schedule) =>
          made
            .filter(({ trigger }) => trigger.id === id)
            .map(({ runAt }) => DateTime.distance(NOON, runAt!).toString())
            .toSorted()
        const minutes = (...numbers: ReadonlyArray<number>) =>
          numbers.map((minute) => DateTime.distance(NOON, at(minute)).toString()).toSorted()
        assert.deepStrictEqual(timesOf(late), minutes(26, 27, 28, 29, 30))
        assert.deepStrictEqual(timesOf(skips), minutes(26, 27, 28, 29, 30))
        assert.deepStrictEqual(timesOf(once), minutes(0, 26, 27, 28, 29, 30))
        assert.deepStrictEqual(timesOf(rare), [])
        const missed = yield* found(rare)
        assert.deepInclude(missed, { nextRunAt: DateTime.add(NOON, { days: 1 }), lastRunId: null })
        assert.deepInclude(missed.lastError, { code: "missed", dueAt: NOON })
      })
    )

    it.effect("note why a workspace's limits refused the run, and go on with the next time", () =>
      Effect.gen(function* () {
        const { refused } = yield* Faults
        const capped = yield* given(yield* aStoredAgent)
        const other = yield* given(yield* aStoredAgent)
        refused.set(capped.workspaceId, new CapReached())
        yield* TestClock.setTime(DateTime.toEpochMillis(at(0, 20)))
        yield* fire
        assert.isEmpty(yield* runsOf(capped))
        assert.lengthOf(yield* runsOf(other), 1)
        const after = yield* found(capped)
        assert.deepInclude(after.lastError, { code: "cap_reached", dueAt: NOON })
        assert.deepInclude(after, { enabled: true, nextRunAt: DateTime.add(NOON, { days: 1 }) })
        refused.delete(capped.workspaceId)
        yield* TestClock.setTime(DateTime.toEpochMillis(DateTime.add(NOON, { days: 1 })))
        yield* fire
        assert.lengthOf(yield* runsOf(capped), 1)
        assert.isNull((yield* found(capped)).lastError)
      })
    )

    it.effect("note what their agent has become since", () =>
      Effect.gen(function* () {
        const agent = yield* aStoredAgent
        const schedule = yield* given(agent)
        const inputSchema = { type: "object", required: ["order"] }
        yield* atomic(AgentStore.use((agents) => agents.update({ ...agent, inputSchema })))
        yield* TestClock.setTime(DateTime.toEpochMillis(at(0, 20)))
        yield* fire
        const { lastError } = yield* found(schedule)
        assert.strictEqual(lastError?.code, "invalid_input")
        assert.include(lastError?.detail, "order")
      })
    )

    it.effect("are switched off where their workspace is being erased", () =>
      Effect.gen(function* () {
        const { refused } = yield* Faults
        const schedule = yield* given(yield* aStoredAgent)
        refused.set(schedule.workspaceId, new WorkspaceClosed())
        yield* TestClock.setTime(DateTime.toEpochMillis(at(0, 20)))
        yield* fire
        const after = yield* found(schedule)
        assert.deepInclude(after, { enabled: false, nextRunAt: null })
        assert.deepInclude(after.lastError, { code: "workspace_closed" })
      })
    )

    it.effect("are switched off with their agent, and those of other agents are not", () =>
      Effect.gen(function* () {
        const runs = yield* Runs
        const agent = yield* aStoredAgent
        const [schedule, paused] = [yield* given(agent), yield* given(agent, { enabled: false, nextRunAt: null })]
        const others = yield* given(yield* aStoredAgent)
        const { organizationId, workspaceId } = agent
        yield* runs.archiveAgent({ caller: { ...aCaller(), organizationId, workspaceId }, agentId: agent.id })
        assert.deepInclude(yield* found(schedule), { enabled: false, nextRunAt: null })
        assert.strictEqual((yield* found(schedule)).lastError?.code, "agent_archived")
        assert.deepStrictEqual(yield* found(paused), paused)
        assert.deepStrictEqual(yield* found(others), others)
      })
    )

    it.effect("do not hold up each other where the run of one cannot be written", () =>
      Effect.gen(function* () {
        const { poison } = yield* Faults
        const agent = yield* aStoredAgent
        const [before, broken, after] = [
          yield* given(agent),
          yield* given(agent, { prompt: "Poison" }),
          yield* given(agent)
        ]
        const other = yield* given(yield* aStoredAgent)
        poison.add("Poison")
        yield* TestClock.setTime(DateTime.toEpochMillis(at(0, 20)))
        yield* fire
        for (const schedule of [before, after, other]) assert.isNotNull((yield* found(schedule)).lastRunId)
        const faulty = yield* found(broken)
        assert.deepInclude(faulty, { lastRunId: null, nextRunAt: DateTime.add(NOON, { days: 1 }), enabled: true })
        assert.deepInclude(faulty.lastError, { code: "internal_error", dueAt: NOON })
      })
    )

    it.effect("come in turns, by organizations and then by workspaces, however many one has", () =>
      Effect.gen(function* () {
        const many = yield* aStoredAgent
        for (let number = 0; number < 200; number++) yield* given(many)
        const sibling = anAgent(aCaller(yield* aTenant({ organizationId: many.organizationId })))
        yield* atomic(AgentStore.use((agents) => agents.insert(sibling)))
        const few = [yield* given(sibling), yield* given(yield* aStoredAgent), yield* given(yield* aStoredAgent)]
        yield* TestClock.setTime(DateTime.toEpochMillis(at(0, 20)))
        yield* fire
        const byId = Order.mapInput(Order.String, ({ id }: { readonly id: string }) => id)
        const runs = yield* runsOf(many)
        assert.lengthOf(runs, 200)
        for (const schedule of few) {
          const [run] = yield* runsOf(schedule)
          const before = runs.filter((one) => byId(one, run!) < 0)
          // A few turns of the large one at most: the first ones, which began at the same moment.
          assert.isAtMost(before.length, 4 * 32, schedule.workspaceId)
        }
      })
    )
  })
})
