import { EventId, OrganizationId, UnitOfWork } from "@agent-platform/kernel"
import { anId, type Tenants } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { EndpointId } from "../Endpoint.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"
import { ReplayStore } from "../ports/ReplayStore.ts"
import { Replay, ReplayId } from "../Replay.ts"
import { aFoundedEndpoint } from "./aFoundedEndpoint.ts"
import { aReplay } from "./builders.ts"

/** The ports of the suite: the store itself, and that of the endpoints of its replays. */
export type ReplayStoreContractPorts = ReplayStore | EndpointStore | UnitOfWork | Tenants

const AN_EVENT = anId(EventId)
const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.987Z")

/** The contract of stores of replays. */
export const replayStoreContract = <E>(adapter: string, adapterLayer: Layer.Layer<ReplayStoreContractPorts, E>) =>
  describe(`replay store over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const atomic = <A, E2, R>(effect: Effect.Effect<A, E2, R>) => UnitOfWork.use((unit) => unit.atomic(effect))

      /** A replay of an endpoint of its own, not yet stored. */
      const ofAnEndpoint = (change: (replay: Replay) => Replay = (replay) => replay) =>
        Effect.gen(function* () {
          const endpoint = yield* aFoundedEndpoint()
          yield* EndpointStore.use((store) => atomic(store.insert(endpoint)))
          return change(aReplay({ organizationId: endpoint.organizationId, endpointId: endpoint.id }))
        })

      const stored = (change?: (replay: Replay) => Replay) =>
        Effect.tap(ofAnEndpoint(change), (replay) => ReplayStore.use((store) => atomic(store.insert(replay))))

      it.effect("gives back a replay exactly as it was inserted, whatever its state", () =>
        Effect.gen(function* () {
          const store = yield* ReplayStore
          const since = DateTime.makeUnsafe("2026-11-20T00:00:00.001Z")
          const pending = yield* stored((replay) => ({ ...replay, since, selection: "all" }))
          const running = yield* stored((replay) =>
            Replay.advanced(replay, { eventIds: [AN_EVENT], limit: 1, now: NOW })
          )
          const ended = yield* stored((replay) => Replay.stopped(replay, "endpoint_disabled", NOW))
          for (const replay of [pending, running, ended]) {
            assert.deepStrictEqual(yield* store.find(replay.organizationId, replay.id), replay)
          }
        })
      )

      it.effect("finds nothing under another organization or an unknown id", () =>
        Effect.gen(function* () {
          const store = yield* ReplayStore
          const { id, organizationId } = yield* stored()
          for (const find of [store.find, store.findToChange]) {
            assert.isUndefined(yield* atomic(find(anId(OrganizationId), id)))
            assert.isUndefined(yield* atomic(find(organizationId, anId(ReplayId))))
          }
        })
      )

      it.effect("lists the replays of all endpoints of one organization newest first, page by page", () =>
        Effect.gen(function* () {
          const store = yield* ReplayStore
          const first = yield* stored()
          yield* stored()
          const { endpointId, organizationId } = first
          const second = aReplay({ organizationId, endpointId })
          yield* atomic(store.insert(second))
          const newest = yield* store.list({ organizationId }, { limit: 1, before: undefined })
          const rest = yield* store.list({ organizationId }, { limit: 1, before: newest.next })
          assert.deepStrictEqual([...newest.items, ...rest.items], [second, first])
          assert.isUndefined(rest.next)
        })
      )

      it.effect("lists the replays of one endpoint newest first, page by page", () =>
        Effect.gen(function* () {
          const store = yield* ReplayStore
          const first = yield* stored()
          yield* stored()
          const { endpointId, organizationId } = first
          const others = Array.from({ length: 3 }, () => aReplay({ organizationId, endpointId }))
          for (const replay of others) yield* atomic(store.insert(replay))
          const expected = [first, ...others]
            .map(({ id }) => id)
            .sort()
            .reverse()
          const newest = yield* store.list({ endpointId }, { limit: 3, before: undefined })
          yield* atomic(store.insert(aReplay({ organizationId, endpointId })))
          const rest = yield* store.list({ endpointId }, { limit: 3, before: newest.next })
          assert.deepStrictEqual(
            [...newest.items, ...rest.items].map(({ id }) => id),
            expected
          )
          assert.isUndefined(rest.next)
          assert.deepStrictEqual(
            rest.items.find(({ id }) => id === first.id),
            first
          )
        })
      )

      it.effect("replaces a replay by the same one further on", () =>
        Effect.gen(function* () {
          const store = yield* ReplayStore
          const [before, other] = [yield* stored(), yield* stored()]
          const after = Replay.advanced(before, { eventIds: [AN_EVENT], limit: 1, now: NOW })
          yield* atomic(
            Effect.gen(function* () {
              assert.deepStrictEqual(yield* store.findToChange(before.organizationId, before.id), before)
              yield* store.replace(after)
            })
          )
          assert.deepStrictEqual(yield* store.find(before.organizationId, before.id), after)
          assert.deepStrictEqual(yield* store.find(other.organizationId, other.id), other)
        })
      )

      it.effect("keeps nothing of a transaction that fails", () =>
        Effect.gen(function* () {
          const store = yield* ReplayStore
          const kept = yield* stored()
          const refused = yield* ofAnEndpoint()
          const writes = Effect.andThen(
            store.replace(Replay.stopped(kept, "endpoint_deleted", NOW)),
            store.insert(refused)
          )
          yield* Effect.exit(atomic(Effect.andThen(writes, Effect.fail("refused"))))
          assert.deepStrictEqual(yield* store.find(kept.organizationId, kept.id), kept)
          assert.isUndefined(yield* store.find(refused.organizationId, refused.id))
        })
      )

      it.effect("lets ten steps at once each see what the one before it made", () =>
        Effect.gen(function* () {
          const store = yield* ReplayStore
          const { id, organizationId } = yield* stored()
          const step = Effect.gen(function* () {
            const found = yield* store.findToChange(organizationId, id)
            if (found !== undefined) yield* store.replace({ ...found, replayedCount: found.replayedCount + 1 })
          })
          yield* Effect.forEach(Array.from({ length: 10 }), () => atomic(step), { concurrency: "unbounded" })
          assert.strictEqual((yield* store.find(organizationId, id))?.replayedCount, 10)
        })
      )

      it.effect("forgets replays that ended before a time, so many at once, and none that has not ended", () =>
        Effect.gen(function* () {
          const store = yield* ReplayStore
          const early = DateTime.subtract(NOW, { days: 400 })
          const [one, two] = [
            yield* stored((replay) => Replay.stopped(replay, "endpoint_disabled", early)),
            yield* stored((replay) => Replay.stopped(replay, "endpoint_disabled", early))
          ]
          const late = yield* stored((replay) => Replay.stopped(replay, "endpoint_disabled", NOW))
          const pending = yield* stored()
          const before = DateTime.subtract(NOW, { days: 399 })
          const counts = [0, 0, 0]
          for (const index of counts.keys()) counts[index] = yield* atomic(store.prune(before, 1))
          assert.deepStrictEqual(counts, [1, 1, 0])
          for (const { id, organizationId } of [one, two]) assert.isUndefined(yield* store.find(organizationId, id))
          for (const kept of [late, pending]) {
            assert.deepStrictEqual(yield* store.find(kept.organizationId, kept.id), kept)
          }
        })
      )

      it.effect("gives the replays that have not ended, whosever they are, in the order of their ids", () =>
        Effect.gen(function* () {
          const store = yield* ReplayStore
          const pending = [yield* stored(), yield* stored(), yield* stored()].sort((one, two) =>
            one.id < two.id ? -1 : 1
          )
          const ended = yield* stored((replay) => Replay.stopped(replay, "endpoint_disabled", NOW))
          // Others of the suite may have left some.
          const found: Array<Replay> = []
          while (true) {
            const page = yield* store.unfinished(found.at(-1)?.id, 2)
            assert.isAtMost(page.length, 2)
            found.push(...page)
            if (page.length < 2) break
          }
          assert.deepStrictEqual(
            found.filter(({ id }) => pending.some((one) => one.id === id)),
            pending
          )
          assert.notInclude(
            found.map(({ id }) => id),
            ended.id
          )
        })
      )

      it.effect("counts the replays of one endpoint that have not ended", () =>
        Effect.gen(function* () {
          const store = yield* ReplayStore
          const first = yield* stored()
          const { endpointId, organizationId } = first
          const insert = (replay: Replay) => atomic(store.insert(replay))
          // A batch as large as its limit is followed by others; a smaller one is the last.
          yield* insert(Replay.advanced(aReplay({ endpointId, organizationId }), { eventIds: [], limit: 0, now: NOW }))
          yield* insert(Replay.advanced(aReplay({ endpointId, organizationId }), { eventIds: [], limit: 1, now: NOW }))
          yield* insert(Replay.stopped(aReplay({ endpointId, organizationId }), "endpoint_disabled", NOW))
          yield* stored()
          assert.strictEqual(yield* store.countUnfinished(endpointId), 2)
          assert.strictEqual(yield* store.countUnfinished(anId(EndpointId)), 0)
        })
      )
    })
  })
