import { UnitOfWork } from "@agent-platform/kernel"
import type { Tenants } from "@agent-platform/kernel/testing"
import { assert, type Vitest } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { Endpoint, secretPlace } from "../Endpoint.ts"
import { EndpointStore } from "../ports/EndpointStore.ts"
import { aFoundedEndpoint } from "./aFoundedEndpoint.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.987Z")

const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>) => UnitOfWork.use((unit) => unit.atomic(effect))

/** Stores an endpoint that had these secrets one after another; the last is the current one. */
const storedWith = (first: string, ...later: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const fresh = yield* aFoundedEndpoint({ sealedSecret: first })
    const endpoint = later.reduce(
      (one, sealed) => Endpoint.rotated(one, sealed, { graceSeconds: 3600, now: NOW }),
      fresh
    )
    yield* EndpointStore.use((store) => atomic(store.insert(endpoint)))
    return endpoint
  })

const everySecret = EndpointStore.use((store) => store.sealedSecrets(undefined, 1_000_000))

const secretsOf = ({ id }: Endpoint) =>
  Effect.map(everySecret, (all) => all.filter(({ place }) => place === secretPlace(id)))

const read = ({ id, organizationId }: Endpoint) => EndpointStore.use((store) => store.find(organizationId, id))

/** How the secrets of all endpoints are read, and replaced when they are sealed again. */
export const sealedSecretCases = (it: Vitest.MethodsNonLive<EndpointStore | UnitOfWork | Tenants>) => {
  it.effect("walks every secret of every organization, those from before too, and those of no deleted endpoint", () =>
    Effect.gen(function* () {
      const store = yield* EndpointStore
      const [one, several] = [yield* storedWith("a"), yield* storedWith("b", "c", "d", "e", "f")]
      const gone = yield* storedWith("g", "h")
      yield* atomic(store.replace(Endpoint.deleted(gone)))
      const all = yield* everySecret
      assert.strictEqual(new Set(all.map(({ position }) => position)).size, all.length)
      for (const limit of [1, 3]) {
        const walked: Array<(typeof all)[number]> = []
        for (let next = yield* store.sealedSecrets(undefined, limit); next.length > 0; ) {
          assert.isAtMost(next.length, limit)
          walked.push(...next)
          next = yield* store.sealedSecrets(next.at(-1)?.position, limit)
        }
        assert.deepStrictEqual(walked, [...all])
      }
      const sealedOf = (endpoint: Endpoint) => Effect.map(secretsOf(endpoint), (found) => found.map((s) => s.sealed))
      assert.deepStrictEqual(yield* sealedOf(one), ["a"])
      assert.deepStrictEqual(yield* sealedOf(several), ["f", "e", "d", "c", "b"])
      assert.isEmpty(yield* sealedOf(gone))
    })
  )

  it.effect("puts another secret in the place of the one that was read, current or from before, and of no other", () =>
    Effect.gen(function* () {
      const store = yield* EndpointStore
      const [endpoint, other] = [yield* storedWith("a", "b", "c"), yield* storedWith("a", "b", "c")]
      const [current, newer, oldest] = yield* secretsOf(endpoint)
      assert.isFalse(yield* atomic(store.replaceSealedSecret({ ...current!, sealed: "never there" }, "no")))
      for (const [value, resealed] of [
        [oldest!, "a2"],
        [current!, "c2"]
      ] as const) {
        assert.isTrue(yield* atomic(store.replaceSealedSecret(value, resealed)))
        assert.isFalse(yield* atomic(store.replaceSealedSecret(value, "no")))
      }
      const [first, second] = endpoint.retiringSecrets
      assert.deepStrictEqual(yield* read(endpoint), {
        ...endpoint,
        sealedSecret: "c2",
        retiringSecrets: [first!, { ...second!, sealed: "a2" }]
      })
      assert.strictEqual(newer!.sealed, "b")
      assert.deepStrictEqual(yield* read(other), other)
    })
  )

  it.effect("seals a secret again that was rotated away since it was read, and restores none that is gone", () =>
    Effect.gen(function* () {
      const store = yield* EndpointStore
      const [rotatedAway, replaced, erased] = [yield* storedWith("a"), yield* storedWith("b"), yield* storedWith("c")]
      const values = (yield* Effect.forEach([rotatedAway, replaced, erased], secretsOf)).flat()
      yield* atomic(store.replace(Endpoint.rotated(rotatedAway, "new", { graceSeconds: 60, now: NOW })))
      yield* atomic(store.replace(Endpoint.rotated(replaced, "new", { graceSeconds: 0, now: NOW })))
      yield* atomic(store.replace(Endpoint.deleted(erased)))
      const answers = yield* Effect.forEach(values, (value) => atomic(store.replaceSealedSecret(value, "resealed")))
      assert.deepStrictEqual(answers, [true, false, false])
      const kept = yield* read(rotatedAway)
      assert.strictEqual(kept?.sealedSecret, "new")
      assert.deepStrictEqual(kept?.retiringSecrets, [
        { sealed: "resealed", expiresAt: DateTime.add(NOW, { seconds: 60 }) }
      ])
      assert.strictEqual((yield* read(replaced))?.sealedSecret, "new")
      assert.deepStrictEqual(yield* read(erased), Endpoint.deleted(erased))
    })
  )

  it.effect("keeps nothing of a secret that is sealed again in a transaction that fails", () =>
    Effect.gen(function* () {
      const store = yield* EndpointStore
      const endpoint = yield* storedWith("a", "b")
      const values = yield* secretsOf(endpoint)
      const write = Effect.forEach(values, (value) => store.replaceSealedSecret(value, "resealed"))
      yield* Effect.exit(atomic(Effect.andThen(write, Effect.fail("refused"))))
      assert.deepStrictEqual(yield* read(endpoint), endpoint)
    })
  )

  // Sealing again and rotating write the same row: neither may undo the other.
  it.effect("loses no rotation to secrets that are sealed again at the same time", () =>
    Effect.gen(function* () {
      const store = yield* EndpointStore
      const endpoint = yield* storedWith("0")
      const rotate = (sealed: string) =>
        atomic(
          Effect.gen(function* () {
            const found = yield* store.findToChange(endpoint.organizationId, endpoint.id)
            yield* store.replace(Endpoint.rotated(found!, sealed, { graceSeconds: 3600, now: NOW }))
          })
        )
      const reseal = Effect.gen(function* () {
        for (const value of yield* secretsOf(endpoint)) {
          if (!value.sealed.endsWith("again")) {
            yield* atomic(store.replaceSealedSecret(value, `${value.sealed} again`))
          }
        }
      })
      const rotations = Effect.forEach(["1", "2", "3", "4"], rotate, { discard: true })
      yield* Effect.all([rotations, Effect.replicateEffect(reseal, 8)], { concurrency: "unbounded" })
      yield* reseal
      const kept = (yield* secretsOf(endpoint)).map(({ sealed }) => sealed)
      assert.deepStrictEqual(kept, ["4 again", "3 again", "2 again", "1 again", "0 again"])
    })
  )
}
