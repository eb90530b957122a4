import { assert, describe, layer as suite } from "@effect/vitest"
import { Effect, type Layer, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { type Claim, Idempotency, type IdempotencyRequest } from "../ports/Idempotency.ts"
import { atomic, type UnitOfWork } from "../ports/UnitOfWork.ts"

const isNew = (claim: Claim): boolean => Result.isSuccess(claim) && claim.success === undefined

/** The outcome of a claim, in a word. */
const outcomeOf = (claim: Claim): string => (Result.isSuccess(claim) ? (claim.success ?? "new") : claim.failure._tag)

/** Holds a store of idempotency keys to its port. */
export const idempotencyContract = <E>(adapter: string, adapterLayer: Layer.Layer<UnitOfWork | Idempotency, E>) =>
  describe(`idempotency keys over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      const aRequest = (override: Partial<IdempotencyRequest> = {}): IdempotencyRequest => ({
        scope: SecureRandom.uuidV7Unsafe(),
        route: "POST /api/v1/runs/",
        key: "order-1",
        bodyHash: "a".repeat(64),
        ...override
      })
      const claimOf = (request: IdempotencyRequest) =>
        Idempotency.use((keys) => Effect.flatMap(keys.claim(request), ([claim]) => Effect.fromResult(claim!)))
      const create = (request: IdempotencyRequest, id: string) =>
        Idempotency.use((keys) =>
          Effect.flatMap(claimOf(request), (earlier) =>
            earlier === undefined ? Effect.as(keys.record({ request, resourceId: id }), id) : Effect.succeed(earlier)
          )
        )

      it.effect("answers the first creation to every later request", () =>
        Effect.gen(function* () {
          const request = aRequest()
          assert.strictEqual(yield* atomic(create(request, "one")), "one")
          assert.strictEqual(yield* atomic(create(request, "two")), "one")
        })
      )

      it.effect("refuses the same key with another body", () =>
        Effect.gen(function* () {
          const request = aRequest()
          yield* atomic(create(request, "one"))
          const refused = yield* Effect.flip(atomic(create({ ...request, bodyHash: "b".repeat(64) }, "two")))
          assert.strictEqual(refused._tag, "IdempotencyKeyReused")
        })
      )

      it.effect("keeps scopes, routes and keys apart", () =>
        Effect.gen(function* () {
          const request = aRequest()
          yield* atomic(create(request, "one"))
          for (const other of [
            { ...request, scope: SecureRandom.uuidV7Unsafe() },
            { ...request, route: "POST /api/v1/agents" },
            { ...request, key: "order-2" }
          ]) {
            assert.strictEqual(yield* atomic(create(other, "other")), "other")
          }
        })
      )

      it.effect("forgets a claim whose transaction failed", () =>
        Effect.gen(function* () {
          const request = aRequest()
          yield* Effect.exit(atomic(Effect.andThen(create(request, "lost"), Effect.fail("refused"))))
          assert.strictEqual(yield* atomic(create(request, "kept")), "kept")
        })
      )

      it.effect("claims those of many keys that are new, each once, and answers what became of the others", () =>
        Effect.gen(function* () {
          const keys = yield* Idempotency
          const [used, one, two] = [aRequest(), aRequest(), aRequest({ key: 'with "quotes", {braces} and é' })]
          yield* atomic(create(used, "used"))
          const asked = [
            one,
            used,
            two,
            one,
            { ...two, route: "POST /api/v1/agents" },
            { ...used, bodyHash: "b".repeat(64) }
          ]
          const claimed = Effect.flatMap(keys.claim(...asked), (claims) =>
            Effect.as(
              keys.record(
                ...asked.flatMap((request, index) =>
                  isNew(claims[index]!) ? [{ request, resourceId: `made-${index}` }] : []
                )
              ),
              claims.map(outcomeOf)
            )
          )
          const fresh = ["new", "used", "new", "IdempotencyInProgress", "new", "IdempotencyKeyReused"]
          yield* Effect.exit(atomic(Effect.andThen(claimed, Effect.fail("refused"))))
          assert.deepStrictEqual(yield* atomic(claimed), fresh)
          assert.deepStrictEqual((yield* atomic(keys.claim(...asked))).map(outcomeOf), [
            "made-0",
            "used",
            "made-2",
            "made-0",
            "made-4",
            "IdempotencyKeyReused"
          ])
          assert.strictEqual(yield* atomic(create(two, "later")), "made-2")
          assert.strictEqual((yield* Effect.flip(atomic(create(asked[5]!, "later"))))._tag, "IdempotencyKeyReused")
        })
      )

      it.effect("lets one of twenty who claim the same keys at once have each, and leaves unused ones free", () =>
        Effect.gen(function* () {
          const keys = yield* Idempotency
          const requests = [aRequest(), aRequest(), aRequest()]
          const claims = yield* Effect.forEach(
            Array.from({ length: 20 }, (_, index) => String(index)),
            (id) =>
              atomic(
                Effect.tap(keys.claim(...requests), ([claim]) =>
                  isNew(claim!) ? keys.record({ request: requests[0]!, resourceId: id }) : Effect.void
                )
              ),
            { concurrency: "unbounded" }
          )
          assert.lengthOf(
            claims.filter(([claim]) => isNew(claim!)),
            1
          )
          assert.deepStrictEqual((yield* atomic(keys.claim(...requests))).map(isNew), [false, true, true])
        })
      )

      it.effect("forgets none before its time, whatever it created", () =>
        Effect.gen(function* () {
          const request = aRequest()
          yield* atomic(create(request, "one"))
          yield* atomic(
            Idempotency.use((keys) =>
              keys.prune(() => Effect.succeed(new Set<string>()), { after: undefined, max: 10 })
            )
          )
          assert.strictEqual(yield* atomic(create(request, "two")), "one")
        })
      )

      it.effect("lets twenty requests at once create one thing", () =>
        Effect.gen(function* () {
          const request = aRequest()
          const made = yield* Effect.forEach(
            Array.from({ length: 20 }, (_, index) => `made-${index}`),
            (id) => Effect.result(atomic(create(request, id))),
            { concurrency: "unbounded" }
          )
          const answers = new Set<string>()
          for (const result of made) {
            if (result._tag === "Success") answers.add(result.success)
            else assert.strictEqual(result.failure._tag, "IdempotencyInProgress")
          }
          assert.strictEqual(answers.size, 1)
        })
      )
    })
  })
