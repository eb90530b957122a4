/** Keys that are made at the moment at which their maker is revoked, as only a database with many connections shows it. */
import { UnitOfWork } from "@agent-platform/kernel"
import { aCaller } from "@agent-platform/kernel/testing"
import {
  type ApiKey,
  ApiKeyStore,
  type KeyGrantor,
  type KeyOwner,
  Keys,
  scopesOfKind,
  statusOf,
  Tenancy,
  WorkspaceSpend
} from "@agent-platform/keys"
import { layer as postgres } from "@agent-platform/postgres"
import { assert, layer as suite } from "@effect/vitest"
import { DateTime, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { databaseLayer } from "./support/database.ts"

const layer = Layer.merge(Keys.layer, Tenancy.layer).pipe(
  Layer.provide([WorkspaceSpend.layerNothing, SecureRandom.layerWebCrypto, Digest.layerWebCrypto]),
  Layer.provideMerge(postgres),
  Layer.provideMerge(databaseLayer)
)

const { actor } = aCaller()
const operator: KeyGrantor = { actor, scopes: scopesOfKind("organization"), key: null, session: null, role: null }

const grantorOf = (key: ApiKey): KeyGrantor => ({
  actor: { type: "user", id: key.id, label: key.name },
  scopes: key.scopes,
  key,
  session: null,
  role: null
})

const founded = Effect.gen(function* () {
  const tenancy = yield* Tenancy
  const { organization } = yield* Effect.orDie(
    tenancy.foundOrganization({ name: "Acme", workspaceName: "Main", timezone: "UTC" })
  )
  const owner: KeyOwner = { organizationId: organization.id, workspaceId: null }
  return owner
})

const make = (owner: KeyOwner, creator: KeyGrantor) =>
  Keys.use((keys) =>
    keys.createApiKey({
      owner,
      creator,
      name: "Key",
      scopes: undefined,
      expiresAt: undefined,
      allowedIps: undefined,
      rateLimit: null,
      metadata: {},
      idempotency: undefined
    })
  ).pipe(Effect.map(({ value }) => value.key))

/** Every key of the owner that is still accepted. */
const accepted = Effect.fnUntraced(function* (owner: KeyOwner) {
  const store = yield* ApiKeyStore
  const now = yield* DateTime.now
  const keys: Array<ApiKey> = []
  let before: string | undefined
  do {
    const page = yield* store.list(owner, { limit: 50, before })
    keys.push(...page.items)
    before = page.next
  } while (before !== undefined)
  return keys.filter((key) => ["active", "rotating"].includes(statusOf(key, now))).map(({ id }) => id)
})

suite(layer, { excludeTestServices: true })("keys over Postgres", (it) => {
  for (const maker of ["the key itself", "a key that it has made"]) {
    it.effect(`leave none behind that ${maker} was making when it was revoked with its descendants`, () =>
      Effect.gen(function* () {
        const [keys, sql, unit] = [yield* Keys, yield* SqlClient.SqlClient, yield* UnitOfWork]
        const owner = yield* founded
        const leaked = yield* make(owner, operator)
        const child = yield* make(owner, grantorOf(leaked))
        const [made, isRevoking] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const creation = unit.atomic(
          Effect.gen(function* () {
            yield* make(owner, grantorOf(maker === "the key itself" ? leaked : child))
            yield* Deferred.succeed(made, undefined)
            yield* Deferred.await(isRevoking)
          })
        )
        const making = yield* Effect.forkChild(creation)
        yield* Deferred.await(made)
        const revoker = yield* Effect.forkChild(keys.revokeWithDescendants({ owner, id: leaked.id, actor }))
        // It waits for the other, or has gone on without.
        while (revoker.pollUnsafe() === undefined) {
          const waiting = yield* sql`select 1 from pg_locks where not granted and locktype = 'transactionid'`
          if (waiting.length > 0) break
          yield* Effect.yieldNow
        }
        yield* Deferred.succeed(isRevoking, undefined)
        yield* Fiber.join(making)
        const { descendants } = yield* Fiber.join(revoker)
        assert.strictEqual(descendants, 2)
        assert.deepStrictEqual(yield* accepted(owner), [])
        assert.strictEqual((yield* Effect.flip(make(owner, grantorOf(child))))._tag, "CredentialRefused")
      })
    )
  }

  it.effect("wait for each other in no circle when they rotate and revoke each other", () =>
    Effect.gen(function* () {
      const keys = yield* Keys
      for (let round = 0; round < 5; round++) {
        const owner = yield* founded
        const one = yield* make(owner, operator)
        const two = yield* make(owner, grantorOf(one))
        const rotate = (key: ApiKey, by: ApiKey) =>
          keys.rotateApiKey({ owner, id: key.id, rotator: grantorOf(by), graceSeconds: 60, idempotency: undefined })
        const acts = Array.from({ length: 8 }, (_, index) => [
          Effect.asVoid(rotate(index % 2 === 0 ? one : two, index % 3 === 0 ? one : two)),
          Effect.asVoid(keys.revokeWithDescendants({ owner, id: index === 7 ? one.id : two.id, actor }))
        ]).flat()
        const exits = yield* Effect.forEach(acts, (act) => Effect.exit(act), { concurrency: "unbounded" })
        for (const exit of exits) if (Exit.isFailure(exit)) assert.isFalse(Exit.hasDies(exit), String(exit.cause))
        assert.deepStrictEqual(yield* accepted(owner), [])
      }
    })
  )
})
