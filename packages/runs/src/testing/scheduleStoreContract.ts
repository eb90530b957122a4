import { atomic, type UnitOfWork } from "@agent-platform/kernel"
import { aCaller, anId, aTenant, type Tenants } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer } from "effect"
import type { Agent } from "../Agent.ts"
import { AgentId } from "../Agent.ts"
import { AgentStore } from "../ports/AgentStore.ts"
import { ScheduleStore, type WorkspacePlace } from "../ports/ScheduleStore.ts"
import { RunId } from "../Run.ts"
import { type Schedule, ScheduleId } from "../Schedule.ts"
import { anAgent, aSchedule } from "./builders.ts"
import { at, givenAgent, NEVER } from "./givenRuns.ts"

const HOUR = 3_600

/** The contract of every store of schedules. */
export const scheduleStoreContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<UnitOfWork | AgentStore | ScheduleStore | Tenants, E>
) =>
  describe(`schedule store over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const insert = (...schedules: ReadonlyArray<Schedule>) =>
        atomic(ScheduleStore.use((store) => Effect.forEach(schedules, store.insert, { discard: true })))

      /** Stores schedules of a new agent. */
      const given = Effect.fnUntraced(function* (...overrides: ReadonlyArray<Partial<Schedule>>) {
        const agent = yield* givenAgent()
        const schedules = overrides.map((override) => aSchedule(agent, override))
        yield* insert(...schedules)
        return { agent, schedules, place: placeOf(agent) }
      })

      const placeOf = ({ organizationId, workspaceId }: Agent): WorkspacePlace => ({ organizationId, workspaceId })

      /** All of the given workspaces that are due, page by page. Suites share a database, so others are left out. */
      const dueAmong = Effect.fnUntraced(function* (
        places: ReadonlyArray<WorkspacePlace>,
        seconds: number,
        limit = 1_000
      ) {
        const store = yield* ScheduleStore
        const found: Array<WorkspacePlace> = []
        while (true) {
          const page = yield* store.dueWorkspaces({ at: at(seconds), after: found.at(-1), limit })
          found.push(...page)
          if (page.length < limit) break
        }
        const ids = places.map(({ workspaceId }) => workspaceId)
        return found.filter(({ workspaceId }) => ids.includes(workspaceId))
      })

      const idsOf = (schedules: ReadonlyArray<Schedule>) => schedules.map(({ id }) => id)

      it.effect("gives back a schedule as it was written, in its own workspace alone", () =>
        Effect.gen(function* () {
          const store = yield* ScheduleStore
          const full: Partial<Schedule> = {
            settledUntil: at(1),
            nextRunAt: at(2),
            lastRunId: anId(RunId),
            lastRunAt: at(1),
            lastError: { code: "cap_reached", detail: "It was reached", dueAt: at(1) },
            missed: "once"
          }
          const empty: Partial<Schedule> = {
            name: null,
            prompt: null,
            input: null,
            metadata: {},
            tags: [],
            enabled: false,
            nextRunAt: null
          }
          const { schedules } = yield* given({}, full, empty)
          const { agent: other } = yield* given()
          for (const schedule of schedules) {
            const { id, workspaceId } = schedule
            assert.deepStrictEqual(yield* store.find(workspaceId, id), schedule)
            assert.deepStrictEqual(yield* atomic(store.hold(workspaceId, id)), schedule)
            assert.isUndefined(yield* store.find(other.workspaceId, id))
            assert.isUndefined(yield* atomic(store.hold(other.workspaceId, id)))
            assert.isUndefined(yield* atomic(store.remove(other.workspaceId, id)))
          }
          assert.isUndefined(yield* store.find(other.workspaceId, anId(ScheduleId)))
        })
      )

      it.effect("lists the workspace's schedules, newest first, page by page, also those of one agent alone", () =>
        Effect.gen(function* () {
          const store = yield* ScheduleStore
          const { agent, schedules } = yield* given({}, {}, { enabled: false, nextRunAt: null })
          const another = anAgent(agent)
          yield* atomic(AgentStore.use((agents) => agents.insert(another)))
          const theirs = aSchedule(another)
          yield* insert(theirs)
          const newest = [theirs, ...schedules].sort((one, next) => (one.id < next.id ? 1 : -1))
          const first = yield* store.list(agent.workspaceId, {}, { limit: 3, before: undefined })
          assert.deepStrictEqual(first.items, newest.slice(0, 3))
          const last = yield* store.list(agent.workspaceId, {}, { limit: 3, before: first.next })
          assert.deepStrictEqual(last, { items: newest.slice(3), next: undefined })
          const own = { agentId: another.id }
          assert.deepStrictEqual((yield* store.list(agent.workspaceId, own, { limit: 3, before: undefined })).items, [
            theirs
          ])
          const none = yield* store.list(agent.workspaceId, { agentId: anId(AgentId) }, { limit: 3, before: undefined })
          assert.isEmpty(none.items)
        })
      )

      it.effect("writes what has changed of several, and nothing of another workspace", () =>
        Effect.gen(function* () {
          const store = yield* ScheduleStore
          const { schedules } = yield* given({}, {})
          const { agent: foreign } = yield* given()
          const [one, two] = schedules.map(
            (schedule, number): Schedule => ({
              ...schedule,
              name: `Changed ${number}`,
              cron: "1 2 3 4 5",
              timezone: "UTC",
              prompt: null,
              input: [1],
              metadata: {},
              tags: ["a", "b"],
              missed: "once",
              enabled: false,
              nextRunAt: null,
              settledUntil: at(5),
              lastRunId: anId(RunId),
              lastRunAt: at(4),
              lastError: { code: "missed", detail: "No", dueAt: at(3) },
              version: 2,
              updatedAt: at(6)
            })
          ) as [Schedule, Schedule]
          yield* atomic(store.update([one, two]))
          assert.deepStrictEqual(yield* store.find(one.workspaceId, one.id), one)
          assert.deepStrictEqual(yield* store.find(two.workspaceId, two.id), two)
          yield* atomic(store.update([{ ...one, workspaceId: foreign.workspaceId, name: "Stolen" }]))
          yield* atomic(store.update([]))
          assert.deepStrictEqual(yield* store.find(one.workspaceId, one.id), one)
        })
      )

      it.effect("removes a schedule and says what it was", () =>
        Effect.gen(function* () {
          const store = yield* ScheduleStore
          const { schedules } = yield* given({}, {})
          const [gone, stays] = schedules as [Schedule, Schedule]
          assert.deepStrictEqual(yield* atomic(store.remove(gone.workspaceId, gone.id)), gone)
          assert.isUndefined(yield* store.find(gone.workspaceId, gone.id))
          assert.isUndefined(yield* atomic(store.remove(gone.workspaceId, gone.id)))
          assert.deepStrictEqual(yield* store.find(stays.workspaceId, stays.id), stays)
        })
      )

      it.effect("counts a workspace's schedules up to a bound, while nobody else counts them", () =>
        Effect.gen(function* () {
          const store = yield* ScheduleStore
          const { agent } = yield* given({}, {}, { enabled: false, nextRunAt: null })
          assert.strictEqual(yield* atomic(store.holdCount(agent.workspaceId, 10)), 3)
          assert.strictEqual(yield* atomic(store.holdCount(agent.workspaceId, 2)), 2)
          const addOne = atomic(
            Effect.gen(function* () {
              const count = yield* store.holdCount(agent.workspaceId, 10)
              if (count < 5) yield* store.insert(aSchedule(agent))
            })
          )
          yield* Effect.all([addOne, addOne, addOne, addOne], { concurrency: "unbounded" })
          assert.strictEqual(yield* atomic(store.holdCount(agent.workspaceId, 10)), 5)
        })
      )

      it.effect("holds the enabled schedules of an agent alone", () =>
        Effect.gen(function* () {
          const store = yield* ScheduleStore
          const { agent, schedules } = yield* given({}, { enabled: false, nextRunAt: null }, {})
          const other = yield* given({})
          const held = yield* atomic(store.holdOfAgent(agent.workspaceId, agent.id))
          assert.sameMembers(idsOf(held), [schedules[0]!.id, schedules[2]!.id])
          assert.isEmpty(yield* atomic(store.holdOfAgent(other.agent.workspaceId, agent.id)))
        })
      )

      it.effect("finds the workspaces that are due, once each and in their order, page by page", () =>
        Effect.gen(function* () {
          const early = yield* given({ nextRunAt: at(10) }, { nextRunAt: at(11) }, { nextRunAt: at(12) })
          const later = yield* given({ nextRunAt: at(20) }, { nextRunAt: at(HOUR) })
          const never = yield* given({ enabled: false, nextRunAt: null }, { nextRunAt: NEVER })
          const caller = aCaller(yield* aTenant({ organizationId: later.place.organizationId }))
          const sibling = anAgent(caller)
          yield* atomic(AgentStore.use((agents) => agents.insert(sibling)))
          yield* insert(aSchedule(sibling, { nextRunAt: at(20) }))
          const all = [early.place, later.place, never.place, placeOf(sibling)]
          assert.deepStrictEqual(yield* dueAmong(all, 9), [])
          assert.deepStrictEqual(yield* dueAmong(all, 10), [early.place])
          const due = [early.place, later.place, placeOf(sibling)].sort((one, other) =>
            `${one.organizationId} ${one.workspaceId}` < `${other.organizationId} ${other.workspaceId}` ? -1 : 1
          )
          assert.deepStrictEqual(yield* dueAmong(all, 20), due)
          assert.deepStrictEqual(yield* dueAmong(all, 20, 1), due)
        })
      )

      it.effect("holds those of a workspace that are due, first those that wait longest", () =>
        Effect.gen(function* () {
          const store = yield* ScheduleStore
          const { place, schedules } = yield* given(
            { nextRunAt: at(30) },
            { nextRunAt: at(10) },
            { nextRunAt: at(20) },
            { nextRunAt: at(31) },
            { enabled: false, nextRunAt: null }
          )
          yield* given({ nextRunAt: at(10) })
          const [third, first, second] = schedules as [Schedule, Schedule, Schedule, Schedule, Schedule]
          const due = (max: number, only?: ScheduleId) =>
            atomic(store.holdDue({ workspace: place, at: at(30), max, only }))
          assert.deepStrictEqual(yield* due(10), [first, second, third])
          assert.deepStrictEqual(yield* due(2), [first, second])
          assert.deepStrictEqual(yield* due(10, third.id), [third])
          assert.deepStrictEqual(yield* due(10, schedules[3]!.id), [])
        })
      )

      it.effect("has nobody deal with a schedule's times while another holds it", () =>
        Effect.gen(function* () {
          const store = yield* ScheduleStore
          const { place, schedules } = yield* given({ nextRunAt: at(10) }, { nextRunAt: at(20) })
          const [mine, other] = schedules as [Schedule, Schedule]
          const [isHeld, mayGo] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const holder = yield* Effect.forkChild(
            atomic(
              Effect.gen(function* () {
                yield* store.holdDue({ workspace: place, at: at(30), max: 1 })
                yield* Deferred.succeed(isHeld, undefined)
                yield* Deferred.await(mayGo)
                yield* store.update([{ ...mine, nextRunAt: at(HOUR), settledUntil: at(10) }])
              })
            )
          )
          yield* Deferred.await(isHeld)
          const due = atomic(store.holdDue({ workspace: place, at: at(30), max: 10 }))
          // Where transactions run one after another, it looks when the first is over; else it does not wait.
          const seen = yield* Effect.forkChild(due, { startImmediately: true })
          yield* Deferred.succeed(mayGo, undefined)
          yield* Fiber.join(holder)
          assert.deepStrictEqual(idsOf(yield* Fiber.join(seen)), [other.id])
        })
      )
    })
  })
