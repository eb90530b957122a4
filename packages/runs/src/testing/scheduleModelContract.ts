import { atomic } from "@agent-platform/kernel"
import { aCaller, aTenant, type Tenants } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Arbitrary, Clock, Context, DateTime, Deferred, Effect, Fiber, Layer } from "effect"
import { AgentRunner } from "../ports/AgentRunner.ts"
import { AgentStore } from "../ports/AgentStore.ts"
import { RunReader } from "../ports/RunReader.ts"
import { ScheduleStore } from "../ports/ScheduleStore.ts"
import { SpendGate } from "../ports/SpendGate.ts"
import { Schedules, type SchedulesPorts } from "../Schedules.ts"
import { anAgent } from "./builders.ts"
import { BEGINNINGS, look, type ModelSchedule, SCHEDULES, ScheduleAct, timetableOf } from "./scheduleModel.ts"

/** The transactions that a scheduler may still commit; its next one stops right before its end. */
class Fuse extends Context.Service<Fuse, { left: number | undefined; burnt: Deferred.Deferred<void> | undefined }>()(
  "@agent-platform/runs/testing/Fuse"
) {}

/** The stores, of which schedules are written only while the fuse lasts. */
const layerWithFuse = Layer.effect(
  ScheduleStore,
  Effect.gen(function* () {
    const fuse = yield* Fuse
    const store = yield* ScheduleStore
    const burn = Effect.suspend(() => {
      if (fuse.left === undefined || fuse.burnt === undefined) return Effect.void
      if (fuse.left > 0) {
        fuse.left--
        return Effect.void
      }
      return Effect.andThen(Deferred.succeed(fuse.burnt, undefined), Effect.never)
    })
    return { ...store, update: (schedules) => Effect.tap(store.update(schedules), burn) }
  })
)

const layerFuse = Layer.sync(Fuse, () => ({ left: undefined, burnt: undefined }))

/** The ports that an adapter provides. The two that are left out keep nothing, so the suite has its own. */
export type ScheduleModelPorts = Exclude<SchedulesPorts, AgentRunner | SpendGate> | Tenants

const layerWorld = <E>(ports: Layer.Layer<ScheduleModelPorts, E>) =>
  Schedules.layer.pipe(
    Layer.provideMerge(layerWithFuse),
    Layer.provideMerge(
      Layer.mergeAll(layerFuse, SpendGate.layerOpen, AgentRunner.layer([{ name: "demo", execute: () => Effect.never }]))
    ),
    Layer.provideMerge(ports)
  )

const makeWorld = Effect.fnUntraced(function* (beginning: number) {
  const schedules = yield* Schedules
  const fuse = yield* Fuse
  const reader = yield* RunReader
  const caller = aCaller(yield* aTenant())
  const agent = anAgent(caller)
  yield* atomic(AgentStore.use((agents) => agents.insert(agent)))

  // The clock of all processes. It stands still while something is done; what sleeps, as a store may, does so in real time.
  let now = DateTime.makeUnsafe(BEGINNINGS[beginning % BEGINNINGS.length] ?? BEGINNINGS[0])
  const real = yield* Clock.Clock
  const at = <A, E, R>(time: DateTime.Utc, effect: Effect.Effect<A, E, R>) => {
    const millis = DateTime.toEpochMillis(time)
    const nanos = BigInt(millis) * 1_000_000n
    const clock = Object.assign(Object.create(real) as Clock.Clock, {
      currentTimeMillisUnsafe: () => millis,
      currentTimeMillis: Effect.succeed(millis),
      currentTimeNanosUnsafe: () => nanos,
      currentTimeNanos: Effect.succeed(nanos)
    })
    return Effect.provideService(effect, Clock.Clock, clock)
  }

  const model: Array<ModelSchedule> = []
  for (let number = 0; number < SCHEDULES; number++) {
    const missed = number % 2 === 0 ? ("skip" as const) : ("once" as const)
    const settings = {
      agentId: agent.id,
      name: `Number ${number}`,
      ...timetableOf(number),
      prompt: "Hello",
      input: null,
      metadata: {},
      tags: [],
      missed,
      enabled: true
    }
    const { value } = yield* at(now, schedules.createSchedule({ caller, settings }))
    model.push({ id: value.id, missed, timetable: number, enabled: true, until: now, runs: new Set() })
  }

  const update = Effect.fnUntraced(function* (number: number, late: number, change: Partial<ModelSchedule>) {
    const schedule = model[number]
    if (schedule === undefined) return
    const isChanged = Object.entries(change).some(([name, value]) => schedule[name as keyof ModelSchedule] !== value)
    Object.assign(schedule, change)
    const { enabled, id, timetable } = schedule
    const settings = { enabled, ...timetableOf(timetable) }
    const time = DateTime.subtract(now, { minutes: late })
    yield* at(time, schedules.updateSchedule({ caller, id, settings, version: undefined }))
    if (isChanged) schedule.until = DateTime.max(schedule.until, time)
  })

  const perform = Effect.fnUntraced(function* (act: ScheduleAct) {
    switch (act._tag) {
      case "Wait":
        now = DateTime.add(now, { minutes: act.minutes, seconds: act.seconds })
        return
      case "Look":
        yield* Effect.all(
          Array.from({ length: act.schedulers }, () => at(now, schedules.fireSchedules())),
          { concurrency: "unbounded" }
        )
        // Those that look together may each leave to the other what it holds, and their jobs come again after a minute.
        yield* at(now, schedules.fireSchedules())
        for (const schedule of model) look(schedule, now)
        return
      case "Kill": {
        const burnt = yield* Deferred.make<void>()
        Object.assign(fuse, { left: act.transaction, burnt })
        const scheduler = yield* Effect.forkChild(at(now, schedules.fireSchedules()))
        yield* Effect.raceFirst(Deferred.await(burnt), Fiber.await(scheduler))
        yield* Fiber.interrupt(scheduler)
        Object.assign(fuse, { left: undefined, burnt: undefined })
        yield* at(now, schedules.fireSchedules())
        for (const schedule of model) look(schedule, now)
        return
      }
      case "Pause":
        return yield* update(act.schedule, 0, { enabled: false })
      case "Resume":
        return yield* update(act.schedule, 0, { enabled: true })
      case "Change":
        return yield* update(act.schedule, act.late, { timetable: act.to })
    }
  })

  /** Every run that a schedule has made, with the time that it is for, in the order in which they were made. */
  const made = Effect.gen(function* () {
    const { items } = yield* reader.list(caller.workspaceId, {}, { limit: 100_000, before: undefined })
    return items.map(({ runAt, trigger }) => `${trigger.type} ${trigger.id} ${runAt && DateTime.formatIso(runAt)}`)
  })

  const compare = Effect.gen(function* () {
    const expected = model.flatMap(({ id, runs }) => [...runs].map((time) => `schedule ${id} ${time}`))
    assert.deepStrictEqual((yield* made).toSorted(), expected.toSorted())
  })
  return { perform, compare }
})

const holds = Effect.fnUntraced(function* (beginning: number, acts: ReadonlyArray<ScheduleAct>) {
  const world = yield* makeWorld(beginning)
  for (const act of acts) {
    yield* world.perform(act)
    yield* world.compare
  }
  return true
})

/**
 * Whatever happens to schedules, to the clocks of their zones and to schedulers, the runs are those of the model: each time has made one
 * at most, and those that were missed by their rule. `runs` sequences of up to 30 acts are tried, other ones each time unless
 * there is a `seed`. A failure is shrunk, and printed with what repeats it.
 */
export const scheduleModelContract = <E>(
  adapter: string,
  ports: Layer.Layer<ScheduleModelPorts, E>,
  options: { readonly runs: number; readonly seed?: number }
) =>
  describe(`schedules over ${adapter}, whatever happens to them`, () => {
    suite(layerWorld(ports), { excludeTestServices: true })((it) => {
      it.effect(
        "make each run once, after every act of callers, clocks and schedulers that race and are killed",
        () =>
          Effect.gen(function* () {
            const acts = Arbitrary.array(Arbitrary.schema(ScheduleAct), { minLength: 1, maxLength: 30 })
            const given = Arbitrary.map(acts, (some) => ({ some, beginning: some.length }))
            const property = ({
              beginning,
              some
            }: {
              readonly beginning: number
              readonly some: ReadonlyArray<ScheduleAct>
            }) => Effect.catchDefect(holds(beginning, some), (defect) => Effect.fail(String(defect)))
            const result = yield* Arbitrary.checkEffect(given, property, { size: 200, ...options })
            assert.isUndefined(Arbitrary.formatCheckFailure(result))
          }),
        300_000
      )
    })
  })
