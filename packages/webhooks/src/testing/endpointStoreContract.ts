import type { Egress, FeedLog, Idempotency, PageRequest, SecretBox } from "@agent-platform/kernel"
import { OrganizationId, UnitOfWork, WorkspaceId } from "@agent-platform/kernel"
import { aCaller, anId, aTenant, type Tenants } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import type { SecureRandom } from "effect/crypto"
import { ACTIVE_ENDPOINTS_MAX, Endpoint, EndpointId } from "../Endpoint.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"
import { registerEndpoint } from "../use-cases/registerEndpoint.ts"
import { aFoundedEndpoint } from "./aFoundedEndpoint.ts"
import { anEndpoint } from "./builders.ts"
import { sealedSecretCases } from "./sealedSecretCases.ts"

/** The ports of the suite: the store itself, and those that the use case `registerEndpoint` needs beside it. */
export type EndpointStoreContractPorts =
  | EndpointStore
  | UnitOfWork
  | Egress
  | FeedLog
  | Idempotency
  | SecretBox
  | SecureRandom.SecureRandom
  | Tenants

/** The contract of stores of endpoints. `Egress` must admit `https://receiver.example.com`. */
export const endpointStoreContract = <E>(adapter: string, adapterLayer: Layer.Layer<EndpointStoreContractPorts, E>) =>
  describe(`endpoint store over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const atomic = <A, E2, R>(effect: Effect.Effect<A, E2, R>) => UnitOfWork.use((unit) => unit.atomic(effect))
      const insert = (...endpoints: ReadonlyArray<Endpoint>) =>
        Effect.gen(function* () {
          const store = yield* EndpointStore
          yield* Effect.forEach(endpoints, ({ organizationId }) => aTenant({ organizationId }), { discard: true })
          yield* atomic(Effect.forEach(endpoints, store.insert, { discard: true }))
        })
      const newestFirst = (endpoints: ReadonlyArray<Endpoint>) => [...endpoints].sort((a, b) => (a.id < b.id ? 1 : -1))

      it.effect("gives back an endpoint exactly as it was inserted", () =>
        Effect.gen(function* () {
          const store = yield* EndpointStore
          const endpoint = anEndpoint({
            url: "https://receiver.example.com/hooks?team=é&x=%20",
            eventTypes: ["run.paused", "run.failed"],
            workspaceIds: [anId(WorkspaceId), anId(WorkspaceId)],
            description: 'Größe \u05D0\u0301 💡 "quoted" \\ \u0001\u2028',
            status: "disabled",
            disabledReason: "nothing but failures for 120 hours",
            sealedSecret: "v1.k1.+/=",
            retiringSecrets: [{ sealed: "v1.k0.=/+", expiresAt: DateTime.makeUnsafe("2026-11-22T23:59:59.001Z") }],
            createdAt: DateTime.makeUnsafe("2026-11-21T23:59:59.987Z")
          })
          yield* insert(endpoint)
          assert.deepStrictEqual(yield* store.find(endpoint.organizationId, endpoint.id), endpoint)
        })
      )

      it.effect("keeps nothing of an insertion whose transaction fails", () =>
        Effect.gen(function* () {
          const store = yield* EndpointStore
          const endpoint = yield* aFoundedEndpoint()
          yield* Effect.exit(atomic(Effect.andThen(store.insert(endpoint), Effect.fail("refused"))))
          assert.isUndefined(yield* store.find(endpoint.organizationId, endpoint.id))
          assert.strictEqual(yield* store.countActive(endpoint.organizationId), 0)
        })
      )

      it.effect("counts what is not deleted, active or not, up to a limit", () =>
        Effect.gen(function* () {
          const store = yield* EndpointStore
          const endpoint = yield* aFoundedEndpoint()
          const { organizationId } = endpoint
          const disabled = anEndpoint({ organizationId, status: "disabled", disabledReason: "disabled_by_request" })
          yield* insert(endpoint, disabled, Endpoint.deleted(anEndpoint({ organizationId })), anEndpoint())
          assert.strictEqual(yield* store.countKept(organizationId, 100), 2)
          assert.strictEqual(yield* store.countKept(organizationId, 1), 1)
        })
      )

      it.effect("finds nothing under another organization or an unknown id", () =>
        Effect.gen(function* () {
          const store = yield* EndpointStore
          const endpoint = anEndpoint()
          yield* insert(endpoint)
          for (const find of [store.find, store.findToAct, store.findToChange]) {
            assert.isUndefined(yield* atomic(find(anId(OrganizationId), endpoint.id)))
            assert.isUndefined(yield* atomic(find(endpoint.organizationId, anId(EndpointId))))
          }
        })
      )

      it.effect("puts a changed endpoint in place of the one that was found, and leaves the others as they are", () =>
        Effect.gen(function* () {
          const store = yield* EndpointStore
          const before = anEndpoint()
          const other = anEndpoint({ organizationId: before.organizationId })
          yield* insert(before, other)
          const after: Endpoint = {
            ...before,
            url: "https://receiver.example.com/elsewhere?é",
            eventTypes: ["run.cancelled"],
            workspaceIds: [anId(WorkspaceId)],
            description: "moved",
            status: "disabled",
            disabledReason: "asked for",
            sealedSecret: "the third",
            retiringSecrets: [
              { sealed: "the second", expiresAt: DateTime.makeUnsafe("2026-11-22T00:00:00.007Z") },
              { sealed: "the first", expiresAt: DateTime.makeUnsafe("2026-11-21T00:00:00.000Z") }
            ]
          }
          yield* atomic(
            Effect.gen(function* () {
              assert.deepStrictEqual(yield* store.findToAct(before.organizationId, before.id), before)
              assert.deepStrictEqual(yield* store.findToChange(before.organizationId, before.id), before)
              yield* store.replace(after)
              assert.deepStrictEqual(yield* store.find(before.organizationId, before.id), after)
            })
          )
          assert.deepStrictEqual(yield* store.find(before.organizationId, before.id), after)
          assert.deepStrictEqual(yield* store.find(other.organizationId, other.id), other)
        })
      )

      it.effect("keeps nothing of a change whose transaction fails", () =>
        Effect.gen(function* () {
          const store = yield* EndpointStore
          const endpoint = anEndpoint()
          yield* insert(endpoint)
          yield* Effect.exit(atomic(Effect.andThen(store.replace(Endpoint.deleted(endpoint)), Effect.fail("refused"))))
          assert.deepStrictEqual(yield* store.find(endpoint.organizationId, endpoint.id), endpoint)
        })
      )

      it.effect("lets ten changes at once each see what the one before it made", () =>
        Effect.gen(function* () {
          const store = yield* EndpointStore
          const { id, organizationId } = anEndpoint()
          yield* insert(anEndpoint({ id, organizationId, description: "" }))
          const change = Effect.gen(function* () {
            const found = yield* store.findToChange(organizationId, id)
            if (found !== undefined) yield* store.replace({ ...found, description: `${found.description}.` })
          })
          yield* Effect.forEach(Array.from({ length: 10 }), () => atomic(change), { concurrency: "unbounded" })
          assert.strictEqual((yield* store.find(organizationId, id))?.description, "..........")
        })
      )

      it.effect("finds a deleted endpoint and leaves it out of a list that is not asked for it", () =>
        Effect.gen(function* () {
          const store = yield* EndpointStore
          const deleted = anEndpoint({ status: "deleted" })
          const { organizationId } = deleted
          yield* insert(deleted)
          assert.deepStrictEqual(yield* store.find(organizationId, deleted.id), deleted)
          assert.isEmpty((yield* store.list(organizationId, { limit: 50, before: undefined })).items)
          const kept = anEndpoint({ organizationId })
          yield* insert(kept, anEndpoint({ status: "deleted" }))
          const all = (page: PageRequest) => store.list(organizationId, page, { includeDeleted: true })
          const first = yield* all({ limit: 1, before: undefined })
          const second = yield* all({ limit: 1, before: first.next })
          assert.deepStrictEqual([...first.items, ...second.items], newestFirst([deleted, kept]))
          assert.isUndefined(second.next)
        })
      )

      it.effect("counts the active endpoints of the one organization", () =>
        Effect.gen(function* () {
          const store = yield* EndpointStore
          const organizationId = anId(OrganizationId)
          yield* insert(
            anEndpoint({ organizationId }),
            anEndpoint({ organizationId }),
            anEndpoint({ organizationId, status: "disabled" }),
            anEndpoint({ organizationId, status: "deleted" }),
            anEndpoint()
          )
          assert.strictEqual(yield* store.countActive(organizationId), 2)
          assert.strictEqual(yield* store.countActive(anId(OrganizationId)), 0)
        })
      )

      it.effect("knows for which workspaces an endpoint that is not deleted names a kind", () =>
        Effect.gen(function* () {
          const store = yield* EndpointStore
          const one = yield* aTenant()
          const two = yield* aTenant({ organizationId: one.organizationId })
          const foreign = yield* aTenant()
          const { organizationId } = one
          const naming = (eventType: string, ...workspaces: ReadonlyArray<typeof one>) =>
            Effect.map(store.naming(eventType, workspaces), (ids) => [...ids].sort())
          const kind = "run.started"
          yield* insert(
            anEndpoint({ organizationId }),
            anEndpoint({ organizationId, eventTypes: ["run.failed"] }),
            anEndpoint({ organizationId, eventTypes: [kind], status: "deleted" })
          )
          assert.isEmpty(yield* naming(kind, one, two, foreign))
          const { workspaceId } = two
          yield* insert(
            anEndpoint({ organizationId, eventTypes: ["run.failed", kind], workspaceIds: [workspaceId] }),
            anEndpoint({ organizationId: foreign.organizationId, eventTypes: [kind], status: "disabled" })
          )
          assert.deepStrictEqual(yield* naming(kind, one, two), [workspaceId])
          assert.isEmpty(yield* naming(kind, one))
          assert.deepStrictEqual(yield* naming(kind, foreign), [foreign.workspaceId])
          assert.isEmpty(yield* naming(kind, { ...foreign, organizationId }))
          yield* insert(anEndpoint({ organizationId, eventTypes: [kind] }))
          assert.deepStrictEqual(yield* naming(kind, one, two, two), [one.workspaceId, workspaceId].sort())
          assert.isEmpty(yield* naming(kind))
        })
      )

      it.effect("lists the organization's endpoints newest first, page by page", () =>
        Effect.gen(function* () {
          const store = yield* EndpointStore
          const organizationId = anId(OrganizationId)
          const endpoints = Array.from({ length: 5 }, (_, index) =>
            anEndpoint({ organizationId, status: index === 1 ? "disabled" : "active" })
          )
          yield* insert(...endpoints, anEndpoint())
          const first = yield* store.list(organizationId, { limit: 3, before: undefined })
          const second = yield* store.list(organizationId, { limit: 3, before: first.next })
          assert.strictEqual(first.items.length, 3)
          assert.deepStrictEqual([...first.items, ...second.items], newestFirst(endpoints))
          assert.isUndefined(second.next)
        })
      )

      it.effect("ends a listing whose last page is exactly full", () =>
        Effect.gen(function* () {
          const store = yield* EndpointStore
          const organizationId = anId(OrganizationId)
          yield* insert(anEndpoint({ organizationId }), anEndpoint({ organizationId }))
          const page = yield* store.list(organizationId, { limit: 2, before: undefined })
          assert.strictEqual(page.items.length, 2)
          assert.isUndefined(page.next)
        })
      )

      sealedSecretCases(it)

      // Counting and inserting are two steps: only `hold` keeps the twenty from all counting nine. Spec: Limits.
      it.effect("lets twenty registrations at once leave ten active endpoints", () =>
        Effect.gen(function* () {
          const store = yield* EndpointStore
          const caller = aCaller(yield* aTenant())
          const results = yield* Effect.forEach(
            Array.from({ length: 20 }),
            (_, index) =>
              Effect.result(
                registerEndpoint({
                  caller,
                  url: `https://receiver.example.com/hooks/${index}`,
                  eventTypes: [],
                  description: null,
                  idempotency: undefined
                })
              ),
            { concurrency: "unbounded" }
          )
          const refused = results.flatMap((result) => (result._tag === "Failure" ? [result.failure._tag] : []))
          assert.deepStrictEqual(
            refused,
            Array.from({ length: 20 - ACTIVE_ENDPOINTS_MAX }, () => "EndpointLimitReached")
          )
          assert.strictEqual(yield* store.countActive(caller.organizationId), ACTIVE_ENDPOINTS_MAX)
        })
      )
    })
  })
