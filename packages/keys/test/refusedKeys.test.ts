/** The activity about refused keys, and about used ones. */
import { UnitOfWork } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { type ApiKey, ApiKeyId, Keys } from "@agent-platform/keys"
import { anApiKey } from "@agent-platform/keys/testing"
import { assert, describe, it } from "@effect/vitest"
import { type Context, DateTime, Effect, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import { GATHER_SECONDS } from "../src/makeGathering.ts"
import { refusalsUnrecorded } from "../src/measures.ts"
import { makeRefusedKeys, ORGANIZATION_REFUSALS_MAX } from "../src/RefusedKeys.ts"
import { actor, ask, create, credential, founded, keyActs, memory, ports, services, storedKey } from "./support.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.250Z")

const gathered = TestClock.adjust(`${GATHER_SECONDS} seconds`)

/** The entries about the owner's keys beside their creation and revocation. */
const entriesOf = (owner: Parameters<typeof keyActs>[0], action: string) =>
  Effect.map(keyActs(owner), (acts) => acts.filter((act) => act.action === action))

const refuse = (...[value, address]: Parameters<typeof ask>) => Effect.flip(ask(value, address))

describe("a key that is refused", () => {
  it.effect("is reported in one entry a minute for each reason, with how often, and beside the requests", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const { inside } = yield* founded
      const { key, value } = yield* create(inside)
      yield* Keys.use((keys) => keys.revokeApiKey({ owner: inside, id: key.id, actor }))
      yield* Effect.repeat(refuse(value, "203.0.113.7"), { times: 8 })
      yield* refuse(value, "203.0.113.8")
      assert.isEmpty(yield* entriesOf(inside, "api_key.refused"))
      yield* gathered
      yield* refuse(value, undefined)
      yield* gathered
      const [entry, ...more] = yield* entriesOf(inside, "api_key.refused")
      assert.isEmpty(more)
      assert.deepInclude(entry, {
        ...inside,
        actor: { type: "user", id: key.id, label: "CI" },
        summary: "The API key 'CI' was refused: it was revoked",
        resourceType: "api_key",
        resourceId: key.id,
        createdAt: NOW,
        payload: {
          name: "CI",
          kind: "workspace",
          scopes: key.scopes,
          expires_at: null,
          allowed_ips: [],
          client_address: null,
          reason: "revoked",
          count: 11
        }
      })
      yield* TestClock.adjust("1 minute")
      yield* refuse(value, "203.0.113.7")
      yield* gathered
      assert.deepStrictEqual(
        (yield* entriesOf(inside, "api_key.refused")).map(({ payload }) => payload["count"]),
        [11, 1]
      )
    }).pipe(Effect.provide(memory))
  )

  it.effect("is reported with why: revoked, expired, disabled or from another address", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const { whole } = yield* founded
      const states: ReadonlyArray<Partial<ApiKey>> = [
        { revokedAt: NOW },
        { expiresAt: NOW },
        { disabled: true },
        { allowedIps: ["203.0.113.7/32"] }
      ]
      for (const state of states) {
        const { value } = yield* storedKey(whole, state)
        yield* refuse(value, "203.0.113.8")
      }
      yield* gathered
      const entries = yield* entriesOf(whole, "api_key.refused")
      assert.sameMembers(
        entries.map(({ payload }) => payload["reason"]),
        ["revoked", "expired", "disabled", "address"]
      )
      for (const { payload } of entries) assert.deepInclude(payload, { count: 1, client_address: "203.0.113.8" })
    }).pipe(Effect.provide(memory))
  )

  it.effect("is reported in one entry by all processes together", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const { inside } = yield* founded
      const { value } = yield* storedKey(inside, { disabled: true })
      // The layer's end writes the gathered refusals.
      yield* Effect.repeat(refuse(value, undefined).pipe(Effect.provide(Layer.fresh(services))), { times: 2 })
      const entries = yield* entriesOf(inside, "api_key.refused")
      assert.deepStrictEqual(
        entries.map(({ payload }) => payload["count"]),
        [3]
      )
    }).pipe(Effect.provide(memory))
  )

  it.effect("that nobody was given, or that is malformed, leaves nothing and costs no write", () =>
    Effect.gen(function* () {
      const { inside } = yield* founded
      const unit = yield* UnitOfWork
      let transactions = 0
      const counting = Layer.succeed(UnitOfWork, {
        atomic: (effect) =>
          Effect.suspend(() => {
            transactions++
            return unit.atomic(effect)
          })
      } satisfies UnitOfWork["Service"])
      yield* Effect.gen(function* () {
        for (const text of ["apk_ws_D3rGmhN5kQ0Zb7XyWvUtSrQpOnMlKjIhGfEdCbA98761cWd4p", "garbage"]) {
          yield* refuse(credential(text), undefined)
        }
        yield* gathered
      }).pipe(Effect.provide(Layer.fresh(Layer.provide(services, counting))))
      assert.strictEqual(transactions, 0)
      assert.isEmpty(yield* entriesOf(inside, "api_key.refused"))
    }).pipe(Effect.provide(memory))
  )

  it.effect("is one of at most so many of its organization; the rest are counted, and others are reported", () =>
    Effect.gen(function* () {
      const [{ inside }, other] = [yield* founded, yield* founded]
      const refused = yield* makeRefusedKeys
      const note = (owner: typeof inside) =>
        refused.note(anApiKey({ ...owner, id: anId(ApiKeyId) }), "revoked", undefined)
      for (let count = 0; count < ORGANIZATION_REFUSALS_MAX + 7; count++) yield* note(inside)
      yield* note(other.inside)
      yield* gathered
      assert.strictEqual((yield* entriesOf(inside, "api_key.refused")).length, ORGANIZATION_REFUSALS_MAX)
      assert.strictEqual((yield* entriesOf(other.inside, "api_key.refused")).length, 1)
      yield* note(inside)
      yield* gathered
      assert.strictEqual((yield* entriesOf(inside, "api_key.refused")).length, ORGANIZATION_REFUSALS_MAX + 1)
      assert.deepInclude(yield* Metric.value(refusalsUnrecorded.of({})), { count: 7 })
    }).pipe(
      Effect.scoped,
      Effect.provide(memory),
      Effect.provideService(Metric.MetricRegistry, new Map() as Context.Service.Shape<typeof Metric.MetricRegistry>)
    )
  )
})

describe("an organization key that is used", () => {
  it.effect("is reported once an hour, with where from, and a workspace key never", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW.epochMilliseconds)
      const { inside, whole } = yield* founded
      const [organizations, workspaces] = [yield* create(whole), yield* create(inside)]
      const useBoth = Effect.andThen(ask(organizations.value, "203.0.113.7"), ask(workspaces.value))
      for (const minutes of [0, 2, 57]) {
        yield* TestClock.adjust(`${minutes} minutes`)
        yield* useBoth
        yield* gathered
      }
      assert.isEmpty(
        (yield* entriesOf(inside, "api_key.used")).filter(({ resourceId }) => resourceId === workspaces.key.id)
      )
      const entries = yield* entriesOf(whole, "api_key.used")
      assert.strictEqual(entries.length, 1)
      assert.deepInclude(entries[0], {
        ...whole,
        actor: { type: "user", id: organizations.key.id, label: "CI" },
        summary: "The API key 'CI' is in use",
        resourceId: organizations.key.id
      })
      assert.deepInclude(entries[0]?.payload, {
        kind: "organization",
        scopes: organizations.key.scopes,
        client_address: "203.0.113.7"
      })
      yield* TestClock.adjust("1 minute")
      yield* useBoth
      yield* gathered
      assert.strictEqual((yield* entriesOf(whole, "api_key.used")).length, 2)
    }).pipe(Effect.provide(Layer.fresh(Layer.provideMerge(services, ports))))
  )
})
