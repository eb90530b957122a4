import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { EventId } from "../Ids.ts"
import { EventLog } from "../ports/EventLog.ts"
import { UnitOfWork } from "../ports/UnitOfWork.ts"
import { anEvent, anId } from "./builders.ts"

/** Holds an event log to its port. */
export const eventLogContract = <E>(adapter: string, adapterLayer: Layer.Layer<UnitOfWork | EventLog, E>) =>
  describe(`event log over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      it.effect("gives back an event exactly as it was appended, to the byte of its data", () =>
        Effect.gen(function* () {
          const unit = yield* UnitOfWork
          const log = yield* EventLog
          const event = anEvent({ data: `{"text":"é \\u0007 \\"quoted\\" 💡","b":1,"a":2}` })
          yield* unit.atomic(log.append(event))
          assert.deepStrictEqual(yield* log.find([event.id]), [event])
        })
      )

      it.effect("keeps an event that is about an organization and no workspace", () =>
        Effect.gen(function* () {
          const unit = yield* UnitOfWork
          const log = yield* EventLog
          const event = anEvent({ workspaceId: null })
          yield* unit.atomic(log.append(event))
          assert.deepStrictEqual(yield* log.find([event.id]), [event])
        })
      )

      it.effect("keeps several events that are appended at once", () =>
        Effect.gen(function* () {
          const unit = yield* UnitOfWork
          const log = yield* EventLog
          const events = [anEvent(), anEvent({ workspaceId: null }), anEvent()]
          yield* unit.atomic(log.append(...events))
          assert.sameDeepMembers([...(yield* log.find(events.map((event) => event.id)))], events)
        })
      )

      it.effect("keeps the traces of events that belong to one, whatever is appended with them", () =>
        Effect.gen(function* () {
          const unit = yield* UnitOfWork
          const log = yield* EventLog
          const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
          const events = [anEvent(), anEvent({ trace }), anEvent()]
          yield* unit.atomic(log.append(...events))
          const found = new Map((yield* log.find(events.map(({ id }) => id))).map((event) => [event.id, event]))
          assert.deepStrictEqual(
            events.map(({ id }) => found.get(id)?.trace),
            [undefined, trace, undefined]
          )
        })
      )

      it.effect("holds an event as it was appended, and none that it does not know", () =>
        Effect.gen(function* () {
          const unit = yield* UnitOfWork
          const log = yield* EventLog
          const event = anEvent()
          yield* unit.atomic(log.append(event))
          assert.deepStrictEqual(yield* unit.atomic(log.hold(event.id)), event)
          assert.isUndefined(yield* unit.atomic(log.hold(anId(EventId))))
        })
      )

      it.effect("leaves out ids that it does not know", () =>
        Effect.gen(function* () {
          const unit = yield* UnitOfWork
          const log = yield* EventLog
          const event = anEvent()
          yield* unit.atomic(log.append(event))
          assert.deepStrictEqual(
            (yield* log.find([anId(EventId), event.id])).map((found) => found.id),
            [event.id]
          )
          assert.isEmpty(yield* log.find([]))
        })
      )
    })
  })
