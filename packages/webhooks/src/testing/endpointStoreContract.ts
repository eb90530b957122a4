import type { Egress, Idempotency, SecretBox } from "@agent-platform/kernel"
import { OrganizationId, UnitOfWork } from "@agent-platform/kernel"
import { aCaller, anId } from "@agent-platform/kernel/testing"
import { assert, describe, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import type { SecureRandom } from "effect/crypto"
import { ACTIVE_ENDPOINTS_MAX, type Endpoint, EndpointId, secretPlace } from "../Endpoint.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"
import { registerEndpoint } from "../use-cases/registerEndpoint.ts"
import { anEndpoint } from "./builders.ts"

/** What the suite runs on: the store itself, and what the use case `registerEndpoint` needs beside it. */
export type EndpointStoreContractPorts =
  | EndpointStore
  | UnitOfWork
  | Egress
  | Idempotency
  | SecretBox
  | SecureRandom.SecureRandom

/** What every store of endpoints must hold. `Egress` must admit `https://receiver.example.com`. */
export const endpointStoreContract = <E>(adapter: string, adapterLayer: Layer.Layer<EndpointStoreContractPorts, E>) =>
  describe(`endpoint store over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const atomic = <A, E2, R>(effect: Effect.Effect<A, E2, R>) => UnitOfWork.use((unit) => unit.atomic(effect))
      const insert = (...endpoints: ReadonlyArray<Endpoint>) =>
        EndpointStore.use((store) => atomic(Effect.forEach(endpoints, store.insert, { discard: true })))
      const newestFirst = (endpoints: ReadonlyArray<Endpoint>) => [...endpoints].sort((a, b) => (a.id < b.id ? 1 : -1))

      it.effect("gives back an endpoint exactly as it was inserted", () =>
        Effect.gen(function* () {
          const store = yield* EndpointStore
          const endpoint = anEndpoint({
            url: "https://receiver.example.com/hooks?team=é&x=%20",
            eventTypes: ["run.paused", "run.failed"],
            description: 'Größe \u05D0\u0301 💡 "quoted" \\ \u0001\u2028',
            status: "disabled",
            disabledReason: "nothing but failures for 120 hours",
            sealedSecret: "v1.k1.+/=",
            createdAt: DateTime.makeUnsafe("2026-11-21T23:59:59.987Z")
          })
          yield* insert(endpoint)
          assert.deepStrictEqual(yield* store.find(endpoint.organizationId, endpoint.id), endpoint)
        })
      )

      it.effect("keeps nothing of an insertion whose transaction fails", () =>
        Effect.gen(function* () {
          const store = yield* EndpointStore
          const endpoint = anEndpoint()
          yield* Effect.exit(atomic(Effect.andThen(store.insert(endpoint), Effect.fail("refused"))))
          assert.isUndefined(yield* store.find(endpoint.organizationId, endpoint.id))
          assert.strictEqual(yield* store.countActive(endpoint.organizationId), 0)
        })
      )

      it.effect("finds nothing under another organization or an unknown id", () =>
        Effect.gen(function* () {
          const store = yield* EndpointStore
          const endpoint = anEndpoint()
          yield* insert(endpoint)
          assert.isUndefined(yield* store.find(anId(OrganizationId), endpoint.id))
          assert.isUndefined(yield* store.find(endpoint.organizationId, anId(EndpointId)))
        })
      )

      it.effect("finds a deleted endpoint and leaves it out of every list", () =>
        Effect.gen(function* () {
          const store = yield* EndpointStore
          const deleted = anEndpoint({ status: "deleted" })
          const { organizationId } = deleted
          yield* insert(deleted)
          assert.deepStrictEqual(yield* store.find(organizationId, deleted.id), deleted)
          assert.isEmpty((yield* store.list(organizationId, { limit: 50, before: undefined })).items)
          assert.isEmpty(yield* store.ofOrganizations([organizationId]))
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

      it.effect("gathers the endpoints of the organizations that are asked for and of no other", () =>
        Effect.gen(function* () {
          const store = yield* EndpointStore
          const [mine, disabled, other] = [anEndpoint(), anEndpoint({ status: "disabled" }), anEndpoint()]
          yield* insert(mine, disabled, other)
          const found = yield* store.ofOrganizations([mine.organizationId, disabled.organizationId])
          assert.deepStrictEqual(newestFirst(found), newestFirst([mine, disabled]))
          assert.isEmpty(yield* store.ofOrganizations([]))
        })
      )

      it.effect("walks the secrets of every organization, and puts another in the place of the one that was read", () =>
        Effect.gen(function* () {
          const store = yield* EndpointStore
          const [first, second] = [anEndpoint({ status: "deleted" }), anEndpoint()]
          yield* insert(first, second)
          const all = yield* store.sealedSecrets(undefined, 1_000_000)
          const walked: Array<(typeof all)[number]> = []
          for (let next = yield* store.sealedSecrets(undefined, 3); next.length > 0; ) {
            walked.push(...next)
            next = yield* store.sealedSecrets(next.at(-1)?.position, 3)
          }
          assert.deepStrictEqual(walked, [...all])
          const secretOf = ({ id }: Endpoint) => all.find(({ place }) => place === secretPlace(id))
          assert.strictEqual(secretOf(first)?.sealed, first.sealedSecret)
          const value = secretOf(second)
          assert.strictEqual(value?.sealed, second.sealedSecret)
          assert.isFalse(yield* atomic(store.replaceSealedSecret({ ...value!, sealed: "v1.k0.old" }, "v1.k2.no")))
          assert.isTrue(yield* atomic(store.replaceSealedSecret(value!, "v1.k2.new")))
          assert.isFalse(yield* atomic(store.replaceSealedSecret(value!, "v1.k3.no")))
          assert.strictEqual((yield* store.find(second.organizationId, second.id))?.sealedSecret, "v1.k2.new")
          assert.deepStrictEqual(yield* store.find(first.organizationId, first.id), first)
        })
      )

      // Counting and inserting are two steps: only `hold` keeps the twenty from all counting nine. Spec: Limits.
      it.effect("lets twenty registrations at once leave ten active endpoints", () =>
        Effect.gen(function* () {
          const store = yield* EndpointStore
          const caller = aCaller()
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
