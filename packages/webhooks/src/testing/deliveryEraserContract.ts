import {
  atomic,
  EventLog,
  type EventRecord,
  OrganizationId,
  Outbox,
  type UnitOfWork,
  Uuid,
  WorkspaceId
} from "@agent-platform/kernel"
import { anEvent, anId } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { DeliveryEraser } from "../ports/DeliveryEraser.ts"

/** The ports of the suite. */
export type DeliveryEraserContractPorts = DeliveryEraser | EventLog | Outbox | UnitOfWork

/** Holds an eraser of events to its port. */
export const deliveryEraserContract = <E>(adapter: string, adapterLayer: Layer.Layer<DeliveryEraserContractPorts, E>) =>
  describe(`eraser of events over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const publish = (override: Partial<EventRecord>) => {
        const event = anEvent(override)
        return Effect.as(
          atomic(
            Effect.andThen(
              EventLog.use((log) => log.append(event)),
              Outbox.use((outbox) => outbox.add(event.id))
            )
          ),
          event
        )
      }
      const isThere = ({ id }: EventRecord) =>
        EventLog.use((log) => Effect.map(log.find([id]), (found) => found.length === 1))
      const erase = (what: Parameters<DeliveryEraser["Service"]["erase"]>[0], max = 100) =>
        DeliveryEraser.use((eraser) => atomic(eraser.erase(what, max)))
      const aTenant = () => ({ organizationId: anId(OrganizationId), workspaceId: anId(WorkspaceId) })

      it.effect("erases the events of a run, which are not dispatched any more, and no others", () =>
        Effect.gen(function* () {
          const tenant = aTenant()
          const runId = anId(Uuid)
          const [gone, kept] = [yield* publish({ ...tenant, runId }), yield* publish({ ...tenant, runId: anId(Uuid) })]
          const what = { _tag: "Resources", ...tenant, ids: [runId] } as const
          assert.strictEqual((yield* DeliveryEraser.use((eraser) => eraser.count(what, 10)))["events"], 1)
          const portion = yield* erase(what)
          assert.deepInclude(portion.counts, { events: 1 })
          assert.isTrue(portion.isOver)
          assert.isFalse(yield* isThere(gone))
          assert.isTrue(yield* isThere(kept))
          const taken = yield* Outbox.use((outbox) => outbox.take(1_000))
          assert.notInclude(
            taken.map(({ id }) => id),
            gone.id
          )
          yield* Outbox.use((outbox) => outbox.release(taken))
        })
      )

      it.effect("leaves an event that somebody is dispatching until it is done with", () =>
        Effect.gen(function* () {
          const tenant = aTenant()
          const runId = anId(Uuid)
          const event = yield* publish({ ...tenant, runId })
          const taken = yield* Outbox.use((outbox) => outbox.take(1_000))
          const what = { _tag: "Resources", ...tenant, ids: [runId] } as const
          assert.isFalse((yield* erase(what)).isOver)
          assert.isTrue(yield* isThere(event))
          yield* Outbox.use((outbox) => outbox.release(taken))
          assert.isTrue((yield* erase(what)).isOver)
          assert.isFalse(yield* isThere(event))
        })
      )

      it.effect("erases the events of a workspace portion by portion, and leaves those of another", () =>
        Effect.gen(function* () {
          const tenant = aTenant()
          const events = yield* Effect.forEach([1, 2, 3], () => publish(tenant))
          const other = yield* publish({ organizationId: tenant.organizationId })
          const what = { _tag: "Tenant", ...tenant } as const
          assert.strictEqual((yield* erase(what, 2)).counts["events"], 2)
          while (!(yield* erase(what, 2)).isOver);
          for (const event of events) assert.isFalse(yield* isThere(event))
          assert.isTrue(yield* isThere(other))
          while (!(yield* erase({ ...what, workspaceId: null })).isOver);
          assert.isFalse(yield* isThere(other))
        })
      )
    })
  })
