/** The open streams of one credential share one read at a time. docs/security.md, Keys. */
import { ApiKeyStore, LoginStore } from "@agent-platform/keys"
import { assert, layer as suite } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Queue, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { CredentialWatch, WATCH_SECONDS } from "../src/CredentialWatch.ts"
import { openStream } from "./eventStream.ts"
import { aPerson } from "./people.ts"
import { anAgent, layerMemory, layerOver, type Tenant, TestApi } from "./support.ts"

const STREAM = "/api/v1/notifications/stream"

/** Reads of credentials, each as it is made. */
class Reads extends Context.Service<Reads, Queue.Queue<string>>()("Reads") {}

const layerReads = Layer.effectContext(
  Effect.gen(function* () {
    const [keys, logins] = [yield* ApiKeyStore, yield* LoginStore]
    const reads = yield* Queue.unbounded<string>()
    const recording = <A extends ReadonlyArray<unknown>, B>(find: (...given: A) => B) => {
      return (...given: A) => {
        Queue.offerUnsafe(reads, String(given[1]))
        return find(...given)
      }
    }
    return Context.make(Reads, reads).pipe(
      Context.add(ApiKeyStore, { ...keys, findByHash: recording(keys.findByHash) }),
      Context.add(LoginStore, { ...logins, findByHash: recording(logins.findByHash) })
    )
  })
)

const streams = { perCredential: 200, perWorkspace: 1_000, perProcess: 5_000 }
const layer = Layer.provideMerge(
  CredentialWatch.layer,
  layerOver(Layer.provideMerge(layerReads, layerMemory), { streams })
)

/** A key of the tenant's own, and how to take something from it. */
const aKey = Effect.fnUntraced(function* (tenant: Tenant, body: object = {}) {
  const api = yield* TestApi
  const made = yield* api.call("POST", "/api/v1/auth/api-keys", {
    key: tenant.workspaceKey,
    body: { name: "Streams", ...body }
  })
  const change = (method: string, given?: object) =>
    api.call(method, `/api/v1/auth/api-keys/${made.json["id"]}`, {
      key: tenant.workspaceKey,
      ...(given === undefined ? {} : { body: given })
    })
  return { value: String(made.json["key"]), change }
})

/** Lets the time of so many looks go by, until at least `kinds` different reads were made, and answers which there were. */
const readsOfLooks = Effect.fnUntraced(function* (looks: number, kinds = 1) {
  const reads = yield* Reads
  yield* Queue.clear(reads)
  for (let look = 0; look < looks; look++) yield* TestClock.adjust(`${WATCH_SECONDS} seconds`)
  const made: Array<string> = []
  while (new Set(made).size < kinds) made.push(yield* Queue.take(reads))
  return [...made, ...(yield* Queue.clear(reads))]
})

/** Lets time go by until something has happened. */
const eventually = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(effect, Effect.forever(Effect.andThen(TestClock.adjust("1 second"), Effect.yieldNow)))

const opened = Effect.fnUntraced(function* (headers: Record<string, string>) {
  const stream = yield* openStream(STREAM, { headers })
  assert.strictEqual(stream.response.status, 200)
  return stream
})

const ends = (streams: ReadonlyArray<Effect.Success<ReturnType<typeof opened>>>) =>
  eventually(Effect.forEach(streams, ({ next }) => next, { concurrency: "unbounded", discard: true }))

suite(layer)("a credential under which much is open", (it) => {
  it.effect("is read once a look for five thousand answers, and its revocation ends all of them", () =>
    Effect.gen(function* () {
      const tenant = yield* Effect.flatMap(TestApi, (api) => api.tenant)
      const { change, value } = yield* aKey(tenant)
      const { watch } = yield* CredentialWatch
      const admission = {
        credential: { type: "api_key" as const, value: Redacted.make(value) },
        workspace: undefined,
        clientAddress: "127.0.0.1",
        access: { reach: "workspace" as const, scope: "runs:read" as const }
      }
      const watching = yield* Effect.forEach(Array.from({ length: 5_000 }), () =>
        Effect.forkChild(Effect.flip(watch({ ...admission, credential: { ...admission.credential } })))
      )
      yield* Effect.yieldNow
      assert.isAtMost((yield* readsOfLooks(3)).length, 3)
      yield* change("DELETE")
      const refusals = yield* eventually(Effect.forEach(watching, Fiber.join))
      assert.deepStrictEqual([...new Set(refusals.map(({ code }) => code))], ["credential_revoked"])
    }).pipe(Effect.scoped)
  )

  it.effect("is read once a look for all streams of a process, of a key and of a person", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const { change, value } = yield* aKey(tenant)
      const person = yield* aPerson(tenant, "viewer")
      const byKey = yield* Effect.forEach(Array.from({ length: 100 }), () => opened({ "x-api-key": value }))
      const inWorkspace = { ...person.headers, "x-workspace-id": tenant.workspaceId }
      const bySession = yield* Effect.forEach(Array.from({ length: 100 }), () => opened(inWorkspace))
      assert.isAtMost((yield* readsOfLooks(3)).length, 6)
      yield* change("PATCH", { scopes: ["runs:read"] })
      yield* ends(byKey)
      yield* api.call("POST", "/api/v1/auth/logout", { headers: person.unsafe })
      yield* ends(bySession)
    }).pipe(Effect.scoped)
  )

  it.effect("ends those whose demand is not met any more, and leaves the others open", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const { change, value } = yield* aKey(tenant)
      const notices = yield* opened({ "x-api-key": value })
      const body = { agent_id: yield* anAgent(tenant) }
      const { json } = yield* api.call("POST", "/api/v1/runs/", { key: tenant.workspaceKey, body })
      const log = yield* openStream(`/api/v1/runs/${json["run_id"]}/logs`, { key: value })
      yield* log.next
      yield* change("PATCH", { scopes: ["runs:read"] })
      assert.isUndefined(yield* eventually(notices.next))
      const next = yield* Effect.forkChild(log.next)
      yield* readsOfLooks(2)
      assert.isUndefined(next.pollUnsafe())
      yield* change("PATCH", { allowed_ips: ["203.0.113.7"] })
      assert.isUndefined(yield* eventually(Fiber.join(next)))
    }).pipe(Effect.scoped)
  )

  it.effect("is read once a look for each workspace that is named under it", () =>
    Effect.gen(function* () {
      const api = yield* TestApi
      const tenant = yield* api.tenant
      const made = yield* api.call("POST", "/api/v1/org/workspaces", { key: tenant.orgKey, body: { name: "Second" } })
      const workspaces = [tenant.workspaceId, String(made.json["id"])]
      for (const workspace of [...workspaces, ...workspaces]) {
        yield* opened({ "x-api-key": tenant.orgKey, "x-workspace-id": workspace })
      }
      const reads = yield* readsOfLooks(3, workspaces.length)
      assert.isAtMost(reads.length, 6)
      assert.sameMembers([...new Set(reads)], workspaces)
    }).pipe(Effect.scoped)
  )
})
