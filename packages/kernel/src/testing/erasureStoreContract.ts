import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { countsOf, Erasure, ErasureId } from "../Erasure.ts"
import { OrganizationId } from "../Ids.ts"
import { ErasureStore } from "../ports/ErasureStore.ts"
import { atomic, type UnitOfWork } from "../ports/UnitOfWork.ts"
import { anErasure, anId } from "./builders.ts"

/** Holds a store of erasures to its port. */
export const erasureStoreContract = <E>(adapter: string, adapterLayer: Layer.Layer<UnitOfWork | ErasureStore, E>) =>
  describe(`erasures over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const insert = (erasure: Erasure) => ErasureStore.use((store) => atomic(store.insert(erasure)))
      const replace = (erasure: Erasure) =>
        ErasureStore.use((store) =>
          atomic(Effect.andThen(store.findToChange(erasure.organizationId, erasure.id), store.replace(erasure)))
        )
      const find = ({ id, organizationId }: Erasure) => ErasureStore.use((store) => store.find(organizationId, id))
      const unfinished = ({ kind, organizationId, subjectId }: Erasure) =>
        ErasureStore.use((store) => store.findUnfinished(organizationId, kind, subjectId))

      it.effect("keeps an erasure as it is, and how far it has come", () =>
        Effect.gen(function* () {
          const now = DateTime.makeUnsafe("2026-11-21T05:15:01.000Z")
          const asked = anErasure()
          yield* insert(asked)
          assert.deepStrictEqual(yield* find(asked), asked)
          const begun = { ...Erasure.begun(asked, now), counts: countsOf({ runs: 7, log_entries: null }) }
          const further = Erasure.advanced(begun, { runs: 3, log_entries: 12 })
          yield* replace(further)
          assert.deepStrictEqual(yield* find(asked), further)
          const turned = Erasure.turned(further)
          yield* replace(turned)
          assert.deepStrictEqual(yield* find(asked), turned)
          const done = Erasure.ended(turned, "done", now)
          yield* replace(done)
          assert.deepStrictEqual(yield* find(asked), done)
        })
      )

      it.effect("shows no organization the erasure of another", () =>
        Effect.gen(function* () {
          const asked = anErasure()
          yield* insert(asked)
          assert.isUndefined(yield* find({ ...asked, organizationId: anId(OrganizationId) }))
          assert.isUndefined(yield* unfinished({ ...asked, organizationId: anId(OrganizationId) }))
          assert.isUndefined(yield* find({ ...asked, id: anId(ErasureId) }))
        })
      )

      it.effect("finds what is being erased until it is, and another erasure of it afterwards", () =>
        Effect.gen(function* () {
          const asked = anErasure({ kind: "workspace", workspaceId: null })
          yield* insert(asked)
          assert.strictEqual((yield* unfinished(asked))?.id, asked.id)
          assert.isUndefined(yield* unfinished({ ...asked, kind: "organization" }))
          yield* replace(Erasure.ended(asked, "failed", asked.createdAt))
          assert.isUndefined(yield* unfinished(asked))
          const again = { ...asked, id: anId(ErasureId) }
          yield* insert(again)
          assert.strictEqual((yield* unfinished(asked))?.id, again.id)
        })
      )

      it.effect("counts those of an organization that have not ended, as far as it is asked to", () =>
        Effect.gen(function* () {
          const organizationId = anId(OrganizationId)
          const made = [anErasure({ organizationId }), anErasure({ organizationId }), anErasure({ organizationId })]
          yield* Effect.forEach([...made, anErasure()], insert)
          const count = (max: number) => ErasureStore.use((store) => atomic(store.holdCount(organizationId, max)))
          assert.deepStrictEqual([yield* count(10), yield* count(2)], [3, 2])
          yield* replace(Erasure.ended(made[0]!, "done", made[0]!.createdAt))
          yield* replace(Erasure.ended(made[1]!, "failed", made[1]!.createdAt))
          assert.strictEqual(yield* count(10), 1)
        })
      )

      it.effect("lets one at a time ask for the erasure of the same", () =>
        Effect.gen(function* () {
          const asked = anErasure()
          const ask = ErasureStore.use((store) =>
            atomic(
              Effect.gen(function* () {
                yield* store.holdCount(asked.organizationId, 10)
                const known = yield* unfinished(asked)
                if (known !== undefined) return known.id
                const fresh = { ...asked, id: anId(ErasureId) }
                yield* store.insert(fresh)
                return fresh.id
              })
            )
          )
          const ids = yield* Effect.forEach(Array.from({ length: 8 }), () => ask, { concurrency: "unbounded" })
          assert.strictEqual(new Set(ids).size, 1)
        })
      )

      it.effect("keeps nothing of a transaction that fails", () =>
        Effect.gen(function* () {
          const asked = anErasure()
          const insertAndFail = ErasureStore.use((store) => Effect.andThen(store.insert(asked), Effect.fail("refused")))
          yield* Effect.exit(atomic(insertAndFail))
          assert.isUndefined(yield* find(asked))
        })
      )
    })
  })
