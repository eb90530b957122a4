import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, type Layer, Result } from "effect"
import { OrganizationId, WorkspaceId } from "../Ids.ts"
import { type Erased, RecordEraser } from "../ports/Eraser.ts"
import { Idempotency } from "../ports/Idempotency.ts"
import { atomic, type UnitOfWork } from "../ports/UnitOfWork.ts"
import { anId } from "./builders.ts"

/** Holds an eraser of idempotency keys to its port. */
export const recordEraserContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<UnitOfWork | Idempotency | RecordEraser, E>
) =>
  describe(`eraser of idempotency keys over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const erase = (what: Erased, max = 100) => RecordEraser.use((eraser) => atomic(eraser.erase(what, max)))
      const requestOf = (scope: string, key: string) => ({ scope, route: "POST /runs", key, bodyHash: "h" })
      const record = (scope: string, key: string, resourceId: string) =>
        Idempotency.use((keys) =>
          atomic(
            Effect.andThen(
              keys.claim(requestOf(scope, key)),
              keys.record({ request: requestOf(scope, key), resourceId })
            )
          )
        )
      /** The id of the resource that the key made; undefined where nothing is known of it. */
      const known = (scope: string, key: string) =>
        Effect.map(
          Idempotency.use((keys) => atomic(keys.claim(requestOf(scope, key)))),
          ([claim]) => (claim !== undefined && Result.isSuccess(claim) ? claim.success : undefined)
        )
      const aTenant = () => ({ organizationId: anId(OrganizationId), workspaceId: anId(WorkspaceId) })

      it.effect("erases the keys that made these resources, and no others", () =>
        Effect.gen(function* () {
          const tenant = aTenant()
          const [one, other] = [anId(WorkspaceId), anId(WorkspaceId)]
          yield* record(tenant.workspaceId, "one", one)
          yield* record(tenant.workspaceId, "other", other)
          const what = { _tag: "Resources", ...tenant, ids: [one] } as const
          assert.deepStrictEqual(yield* RecordEraser.use((eraser) => eraser.count(what, 10)), { idempotency_keys: 1 })
          assert.deepStrictEqual((yield* erase(what)).counts, { idempotency_keys: 1 })
          assert.isUndefined(yield* known(tenant.workspaceId, "one"))
          assert.strictEqual(yield* known(tenant.workspaceId, "other"), other)
          assert.deepStrictEqual(yield* erase(what), { counts: { idempotency_keys: 0 }, isOver: true })
        })
      )

      it.effect("erases those of a workspace portion by portion, and leaves those of its organization", () =>
        Effect.gen(function* () {
          const tenant = aTenant()
          for (const key of ["a", "b", "c"]) yield* record(tenant.workspaceId, key, anId(WorkspaceId))
          const kept = anId(WorkspaceId)
          yield* record(tenant.organizationId, "a", kept)
          const what = { _tag: "Tenant", ...tenant } as const
          const portions = [yield* erase(what, 2), yield* erase(what, 2), yield* erase(what, 2)]
          assert.deepStrictEqual(
            portions.map(({ counts, isOver }) => [counts["idempotency_keys"], isOver]),
            [
              [2, false],
              [1, false],
              [0, true]
            ]
          )
          assert.strictEqual(yield* known(tenant.organizationId, "a"), kept)
          yield* erase({ ...what, workspaceId: null })
          assert.isUndefined(yield* known(tenant.organizationId, "a"))
        })
      )
    })
  })
