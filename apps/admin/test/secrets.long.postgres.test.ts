/** The real program seals everything again over a real Postgres while others go on opening, changing and erasing. */
import { SecretBox, UnitOfWork } from "@agent-platform/kernel"
import { aTenant, type Tenant, type Tenants } from "@agent-platform/kernel/testing"
import { type ProviderKey, ProviderKeyHealth, ProviderKeyStore, providerKeyPlace } from "@agent-platform/keys"
import { aProviderKey } from "@agent-platform/keys/testing"
import { RESEAL_PAGE } from "@agent-platform/platform"
import { layerClient, layer as layerPostgres } from "@agent-platform/postgres"
import { type EncryptionKey, SecretBoxAes } from "@agent-platform/secrets"
import { EndpointStore, keptSecrets, secretPlace } from "@agent-platform/webhooks"
import { anEndpoint } from "@agent-platform/webhooks/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { freshDatabase } from "../../../packages/postgres/test/support/database.ts"
import { layerTenants } from "../../../packages/postgres/test/support/tenants.ts"
import { endedAdmin } from "./program.ts"

const aKey = (id: string): EncryptionKey => ({
  id,
  key: Redacted.make(btoa(String.fromCharCode(...SecureRandom.randomBytesUnsafe(32))))
})
const [OLD, NEW] = [aKey("old"), aKey("new")]
const setting = (...keys: ReadonlyArray<EncryptionKey>) =>
  keys.map(({ id, key }) => `${id}:${Redacted.value(key)}`).join(",")

/** How long each kind of traffic rests: many of each fall into the second that the program takes to go through all secrets. */
const TRAFFIC_REST = "5 millis"

/** The secret box of a process that was started with these keys. */
const boxOf = (current: EncryptionKey, ...previous: ReadonlyArray<EncryptionKey>) =>
  Effect.provide(
    SecretBox,
    Layer.orDie(SecretBoxAes.layer({ current, previous }).pipe(Layer.provide(SecureRandom.layerWebCrypto)))
  )

/** Runs the program to its end. */
const admin = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>>) =>
  Effect.map(endedAdmin(args, environment), ({ code, err, out }) => ({ code, out: out + err }))

const atomic = <A, E, R>(effect: Effect.Effect<A, E, R>) => UnitOfWork.use((unit) => unit.atomic(effect))

type Box = SecretBox["Service"]

const insertKey = Effect.fnUntraced(function* (tenant: Tenant, box: Box, value: string) {
  const store = yield* ProviderKeyStore
  const key = aProviderKey(tenant)
  yield* atomic(store.insert(key, yield* box.seal(providerKeyPlace(key), Redacted.make(value))))
  return key
})

const openKey = Effect.fnUntraced(function* ({ id, workspaceId }: ProviderKey, box: Box) {
  const found = yield* ProviderKeyStore.use((store) => store.findSealed(workspaceId, id))
  if (found === undefined) return undefined
  return Redacted.value(yield* box.open(providerKeyPlace(found.key), found.sealed))
})

const overDatabase = <A, E>(
  test: (url: string) => Effect.Effect<A, E, ProviderKeyStore | EndpointStore | UnitOfWork | Tenants>
) =>
  Effect.scoped(
    Effect.flatMap(freshDatabase, (url) =>
      test(Redacted.value(url)).pipe(
        Effect.provide(layerTenants.pipe(Layer.provideMerge(layerPostgres), Layer.provideMerge(layerClient({ url }))))
      )
    )
  )

describe("secrets rewrap", () => {
  it.live("loses nothing while secrets are opened, replaced, added and erased, and lets the old key go", () =>
    overDatabase((url) =>
      Effect.gen(function* () {
        const keys = yield* ProviderKeyStore
        const endpoints = yield* EndpointStore
        const before = yield* boxOf(OLD)
        const during = yield* boxOf(NEW, OLD)
        const after = yield* boxOf(NEW)
        const tenant = yield* aTenant()

        /** The secret each key must open to; undefined once it is erased. */
        const expected = new Map<ProviderKey, string | undefined>()
        for (let index = 0; index < 3 * RESEAL_PAGE; index++) {
          const value = `sk-before-${index}`
          expected.set(yield* insertKey(tenant, before, value), value)
        }
        const expiresAt = DateTime.makeUnsafe("2999-01-01T00:00:00.000Z")
        const registered = Array.from({ length: RESEAL_PAGE + 5 }, () =>
          anEndpoint({ organizationId: tenant.organizationId })
        )
        for (const endpoint of registered) {
          const place = secretPlace(endpoint.id)
          const sealed = (name: string) => before.seal(place, Redacted.make(`whsec_${name}_${endpoint.id}`))
          const retiringSecrets = [
            { sealed: yield* sealed("second"), expiresAt },
            { sealed: yield* sealed("first"), expiresAt }
          ]
          const sealedSecret = yield* sealed("third")
          yield* atomic(endpoints.insert({ ...endpoint, sealedSecret, retiringSecrets }))
        }
        const erasedEndpoint = anEndpoint({
          organizationId: tenant.organizationId,
          status: "deleted",
          sealedSecret: ""
        })
        yield* atomic(endpoints.insert(erasedEndpoint))

        // Processes with both keys run this until they are interrupted. Each changes keys that no other changes.
        const existing = [...expected.keys()]
        const traffic = (act: (turn: number) => Effect.Effect<void, never, ProviderKeyStore | UnitOfWork>) => {
          let turn = 0
          return Effect.suspend(() => Effect.uninterruptible(act(turn++))).pipe(
            Effect.andThen(Effect.sleep(TRAFFIC_REST)),
            Effect.forever
          )
        }
        const opening = traffic((turn) =>
          Effect.asVoid(Effect.orDie(openKey(existing[(7 * turn) % existing.length]!, during)))
        )
        const replacing = traffic((turn) =>
          Effect.gen(function* () {
            const key = existing[(14 * turn) % existing.length]!
            const value = `sk-replaced-${turn}`
            const sealed = yield* during.seal(providerKeyPlace(key), Redacted.make(value))
            yield* atomic(keys.update(key.workspaceId, key.id, (now) => ({ key: now, sealed })))
            expected.set(key, value)
          })
        )
        const erasing = traffic((turn) =>
          Effect.gen(function* () {
            const key = existing[(10 * turn + 1) % existing.length]!
            const at = yield* DateTime.now
            yield* atomic(keys.update(key.workspaceId, key.id, (now) => ({ key: ProviderKeyHealth.revoked(now, at) })))
            expected.set(key, undefined)
          })
        )
        const adding = traffic((turn) =>
          Effect.gen(function* () {
            const value = `sk-added-${turn}`
            expected.set(yield* insertKey(tenant, during, value), value)
          })
        )
        const fibers = yield* Effect.forEach([opening, opening, replacing, erasing, adding], (one) =>
          Effect.forkChild(one)
        )

        const environment = { DATABASE_URL: url, SECRETS_KEY: setting(NEW, OLD) }
        const runs = yield* Effect.all(
          [admin(["secrets", "rewrap", "--json"], environment), admin(["secrets", "rewrap"], environment)],
          { concurrency: 2 }
        )
        yield* Fiber.interruptAll(fibers)
        for (const { code, out } of runs) assert.strictEqual(code, 0, out)
        assert.include(runs[1].out, "All provider keys:")
        const check = yield* admin(["secrets", "rewrap", "--dry-run", "--json"], environment)
        const { dry_run, stores } = JSON.parse(check.out)
        assert.isTrue(dry_run)
        for (const { resealed, unreadable } of stores) assert.deepStrictEqual([resealed, unreadable], [0, 0])

        // The old key is gone now.
        for (const [key, value] of expected) assert.strictEqual(yield* openKey(key, after), value)
        for (const { id, organizationId } of registered) {
          const kept = yield* endpoints.find(organizationId, id)
          const secrets = yield* Effect.forEach(kept === undefined ? [] : keptSecrets(kept), (sealed) =>
            Effect.map(after.open(secretPlace(id), sealed), Redacted.value)
          )
          assert.deepStrictEqual(secrets, [`whsec_third_${id}`, `whsec_second_${id}`, `whsec_first_${id}`])
        }
        for (const made of ["sk-before", "sk-replaced", "sk-added", "erased"]) {
          assert.isTrue(
            [...expected.values()].some((value = "erased") => value.startsWith(made)),
            made
          )
        }
      })
    )
  )

  it.live("only counts with --dry-run, and shows no secret", () =>
    overDatabase((url) =>
      Effect.gen(function* () {
        const before = yield* boxOf(OLD)
        const key = yield* insertKey(yield* aTenant(), before, "sk-kept-where-it-is")
        const environment = { DATABASE_URL: url, SECRETS_KEY: setting(NEW, OLD) }
        const { code, out } = yield* admin(["secrets", "rewrap", "--dry-run"], environment)
        assert.strictEqual(code, 0)
        assert.include(out, "All provider keys: 1 would be sealed again")
        for (const secret of ["sk-kept", ...[OLD, NEW].map((one) => Redacted.value(one.key))]) {
          assert.notInclude(out, secret)
        }
        assert.strictEqual(yield* openKey(key, before), "sk-kept-where-it-is")
      })
    )
  )

  it.live("leaves what does not open as it is, says so, and ends with 1", () =>
    overDatabase((url) =>
      Effect.gen(function* () {
        const tenant = yield* aTenant()
        const before = yield* boxOf(OLD)
        const lost = yield* insertKey(tenant, yield* boxOf(aKey("lost")), "sk-lost")
        const key = yield* insertKey(tenant, before, "sk-found")
        const sealed = yield* ProviderKeyStore.use((store) => store.findSealed(lost.workspaceId, lost.id))
        const { code, out } = yield* admin(["secrets", "rewrap"], { DATABASE_URL: url, SECRETS_KEY: setting(NEW, OLD) })
        assert.strictEqual(code, 1)
        assert.include(out, "1 secrets do not open")
        assert.strictEqual(yield* openKey(key, yield* boxOf(NEW)), "sk-found")
        const kept = yield* ProviderKeyStore.use((store) => store.findSealed(lost.workspaceId, lost.id))
        assert.deepStrictEqual(kept, sealed)
      })
    )
  )

  it.live("ends with 78 without a usable SECRETS_KEY", () =>
    overDatabase((url) =>
      Effect.gen(function* () {
        const runs = yield* Effect.forEach(
          [{}, { SECRETS_KEY: "too short" }],
          (environment) => admin(["secrets", "rewrap"], { DATABASE_URL: url, LOG_LEVEL: "fatal", ...environment }),
          { concurrency: 2 }
        )
        for (const { code, out } of runs) {
          assert.strictEqual(code, 78, out)
          assert.include(out, "SECRETS_KEY")
        }
      })
    )
  )
})
