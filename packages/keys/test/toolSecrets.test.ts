/** The secrets of tools over memory: added, changed, deleted, and opened for a request. */
import {
  atomic,
  DEFAULT_QUOTAS,
  Egress,
  Quotas,
  SecretBox,
  UrlNotPublic,
  type WorkspaceCaller
} from "@agent-platform/kernel"
import { feedTables, layer as kernel, MemoryDatabase } from "@agent-platform/kernel/memory"
import { aCaller } from "@agent-platform/kernel/testing"
import {
  type CreateToolSecret,
  HostPattern,
  type SealedToolSecret,
  ToolSecretChanged,
  ToolSecretMismatch,
  ToolSecretNotFound,
  ToolSecrets,
  ToolSecretTaken,
  ToolSecretUnreadable,
  toolSecretPlace
} from "@agent-platform/keys"
import { layer as stores } from "@agent-platform/keys/memory"
import { anOAuthClient } from "@agent-platform/keys/testing"
import { assert, layer as suite } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"

const VALUE = "Bearer secret-of-the-host-0123456789"
const INSIDE = "https://inside.example.com/token"

/** Admits everything but one address. */
const layerEgress = Layer.succeed(Egress, {
  admit: (url: string) => (url === INSIDE ? Effect.fail(new UrlNotPublic({ detail: "It is inside" })) : Effect.void),
  send: () => Effect.die(new Error("Nothing is sent here")),
  begin: () => () => undefined,
  stream: () => Effect.die(new Error("Nothing is sent here"))
})

const memory = ToolSecrets.layer.pipe(
  Layer.provideMerge(stores),
  Layer.provideMerge(layerEgress),
  Layer.provideMerge(kernel),
  Layer.fresh
)

const aSecret = (caller: WorkspaceCaller, override: Partial<CreateToolSecret> = {}): CreateToolSecret => ({
  caller,
  name: "Orders",
  hostPattern: HostPattern.make("api.example.com"),
  header: "authorization",
  oauth: null,
  value: Redacted.make(VALUE),
  idempotency: undefined,
  ...override
})

const create = (caller: WorkspaceCaller, override: Partial<CreateToolSecret> = {}) =>
  ToolSecrets.use((secrets) => secrets.createToolSecret(aSecret(caller, override))).pipe(
    Effect.map(({ value }) => value)
  )

const opened = ({ workspaceId }: WorkspaceCaller, url: string) =>
  Effect.map(
    ToolSecrets.use((secrets) => secrets.openToolSecrets({ workspaceId, url })),
    (found) => Object.fromEntries(found.map(({ secret, value }) => [secret.header, Redacted.value(value)]))
  )

suite(memory, { excludeTestServices: true })("tool secrets", (it) => {
  it.effect("are sealed, and opened for the hosts that they are for", () =>
    Effect.gen(function* () {
      const [caller, stranger] = [aCaller(), aCaller()]
      const secret = yield* create(caller)
      const rows = yield* (yield* MemoryDatabase).table<SealedToolSecret>("tool_secret").all
      assert.notInclude(JSON.stringify(rows), "secret-of-the-host")
      assert.deepStrictEqual(yield* opened(caller, "https://api.example.com/orders"), { authorization: VALUE })
      assert.deepStrictEqual(yield* opened(caller, "https://example.com/orders"), {})
      assert.deepStrictEqual(yield* opened(caller, "nonsense"), {})
      assert.deepStrictEqual(yield* opened(stranger, "https://api.example.com/orders"), {})
      assert.deepInclude(secret, { name: "Orders", version: 1, createdBy: caller.actor })
    })
  )

  it.effect("of several with one header the most particular is sent, and others beside it", () =>
    Effect.gen(function* () {
      const caller = aCaller()
      for (const [name, hostPattern, header] of [
        ["every", "*.example.com", "x-key"],
        ["below", "*.b.example.com", "x-key"],
        ["host", "a.b.example.com", "x-key"],
        ["port", "a.b.example.com:443", "x-key"],
        ["other", "*.example.com", "x-other"]
      ] as const) {
        yield* create(caller, { name, hostPattern: HostPattern.make(hostPattern), header, value: Redacted.make(name) })
      }
      assert.deepStrictEqual(yield* opened(caller, "https://x.example.com/"), { "x-key": "every", "x-other": "other" })
      assert.deepStrictEqual(yield* opened(caller, "https://x.b.example.com/"), {
        "x-key": "below",
        "x-other": "other"
      })
      assert.deepStrictEqual(yield* opened(caller, "http://a.b.example.com/"), { "x-key": "host", "x-other": "other" })
      assert.deepStrictEqual(yield* opened(caller, "https://a.b.example.com/"), { "x-key": "port", "x-other": "other" })
    })
  )

  it.effect("have names of their own, and no two are for the same header of the same hosts", () =>
    Effect.gen(function* () {
      const caller = aCaller()
      const first = yield* create(caller)
      const other = { name: "Other", hostPattern: HostPattern.make("b.example.com") }
      assert.deepStrictEqual(
        yield* Effect.flip(create(caller, { ...other, name: "Orders" })),
        new ToolSecretTaken({ by: "name" })
      )
      assert.deepStrictEqual(
        yield* Effect.flip(create(caller, { name: "Other" })),
        new ToolSecretTaken({ by: "host_pattern" })
      )
      const second = yield* create(caller, other)
      const rename = (name: string) =>
        ToolSecrets.use((secrets) =>
          secrets.updateToolSecret({ caller, id: second.id, ifVersion: undefined, change: { name } })
        )
      assert.deepStrictEqual(yield* Effect.flip(rename("Orders")), new ToolSecretTaken({ by: "name" }))
      yield* ToolSecrets.use((secrets) => secrets.deleteToolSecret({ caller, id: first.id }))
      assert.deepInclude(yield* rename("Orders"), { name: "Orders", version: 2 })
      // Another workspace has names of its own.
      yield* create(aCaller())
    })
  )

  it.effect("are as many as the workspace may have, of however many are added at once", () =>
    Effect.gen(function* () {
      const caller = aCaller()
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 6 }, (_, place) => place),
        (place) =>
          Effect.result(create(caller, { name: `${place}`, hostPattern: HostPattern.make(`h${place}.example.com`) })),
        { concurrency: "unbounded" }
      )
      const failures = outcomes.flatMap((one) => (one._tag === "Failure" ? [one.failure] : []))
      assert.strictEqual(failures.length, 4)
      for (const failure of failures) {
        assert.deepInclude(failure, { _tag: "QuotaExceeded", quota: "tool_secrets", of: "workspace", limit: 2 })
      }
    }).pipe(Effect.provide(Layer.provide(memory, Layer.succeed(Quotas, { ...DEFAULT_QUOTAS, tool_secrets: 2 }))))
  )

  it.effect("change their value, and nothing of where they are sent", () =>
    Effect.gen(function* () {
      const caller = aCaller()
      const { id } = yield* create(caller)
      const update = (change: object, ifVersion?: number) =>
        ToolSecrets.use((secrets) => secrets.updateToolSecret({ caller, id, ifVersion, change }))
      assert.deepInclude(yield* update({}), { version: 1 })
      assert.deepInclude(yield* update({ value: Redacted.make("another-value") }, 1), { version: 2 })
      assert.deepStrictEqual(yield* opened(caller, "https://api.example.com/"), { authorization: "another-value" })
      // The same value again is a change: nobody can learn by trying which one it is.
      assert.deepInclude(yield* update({ value: Redacted.make("another-value") }), { version: 3 })
      assert.deepStrictEqual(yield* Effect.flip(update({ name: "x" }, 1)), new ToolSecretChanged({ version: 3 }))
      for (const change of [{ oauth: { clientId: "x" } }, { clientSecret: Redacted.make("x") }]) {
        assert.deepStrictEqual(yield* Effect.flip(update(change)), new ToolSecretMismatch({ hasOAuth: false }))
      }
    })
  )

  it.effect("may be clients of an authorization server", () =>
    Effect.gen(function* () {
      const caller = aCaller()
      const oauth = anOAuthClient({ scope: "read" })
      const { id } = yield* create(caller, { oauth })
      const update = (change: object) =>
        ToolSecrets.use((secrets) => secrets.updateToolSecret({ caller, id, ifVersion: undefined, change }))
      assert.deepInclude(yield* update({ oauth: { scope: null } }), { oauth: { ...oauth, scope: null }, version: 2 })
      assert.deepInclude(yield* update({ oauth: { clientId: "b" }, clientSecret: Redacted.make("fresh-secret") }), {
        oauth: { ...oauth, scope: null, clientId: "b" }
      })
      assert.deepStrictEqual(yield* opened(caller, "https://api.example.com/"), { authorization: "fresh-secret" })
      assert.deepStrictEqual(
        yield* Effect.flip(update({ value: Redacted.make("x") })),
        new ToolSecretMismatch({ hasOAuth: true })
      )
      const inside = { name: "Inside", oauth: anOAuthClient({ tokenUrl: INSIDE }) }
      assert.deepInclude(yield* Effect.flip(create(caller, inside)), { _tag: "UrlNotPublic" })
    })
  )

  it.effect("are created once for an idempotency key", () =>
    Effect.gen(function* () {
      const caller = aCaller()
      const idempotency = { scope: caller.workspaceId, route: "POST /api/v1/tool-secrets", key: "a", bodyHash: "h" }
      const first = yield* ToolSecrets.use((secrets) => secrets.createToolSecret(aSecret(caller, { idempotency })))
      const again = yield* ToolSecrets.use((secrets) => secrets.createToolSecret(aSecret(caller, { idempotency })))
      assert.deepStrictEqual([first.replayed, again.replayed], [false, true])
      assert.deepStrictEqual(again.value, first.value)
    })
  )

  it.effect("are gone once they are deleted, and leave entries without their values", () =>
    Effect.gen(function* () {
      const caller = aCaller()
      const secret = yield* create(caller)
      const secrets = yield* ToolSecrets
      yield* secrets.updateToolSecret({
        caller,
        id: secret.id,
        ifVersion: undefined,
        change: { value: Redacted.make(`${VALUE}-new`) }
      })
      yield* secrets.deleteToolSecret({ caller, id: secret.id })
      assert.deepStrictEqual(yield* opened(caller, "https://api.example.com/"), {})
      const asked = { caller, id: secret.id }
      assert.deepStrictEqual(yield* Effect.flip(secrets.readToolSecret(asked)), new ToolSecretNotFound())
      assert.deepStrictEqual(yield* Effect.flip(secrets.deleteToolSecret(asked)), new ToolSecretNotFound())
      assert.deepStrictEqual(
        yield* Effect.flip(secrets.updateToolSecret({ ...asked, ifVersion: undefined, change: {} })),
        new ToolSecretNotFound()
      )
      const activity = yield* feedTables(yield* MemoryDatabase).activity.all
      const mine = activity.filter(({ resourceId }) => resourceId === secret.id)
      assert.deepStrictEqual(
        mine.map(({ action }) => action),
        ["tool_secret.created", "tool_secret.updated", "tool_secret.deleted"]
      )
      assert.notInclude(JSON.stringify(mine), "secret-of-the-host")
    })
  )

  it.effect("do not open in a row that was moved to another host, and keep the request from going out", () =>
    Effect.gen(function* () {
      const caller = aCaller()
      const secret = yield* create(caller)
      const table = (yield* MemoryDatabase).table<SealedToolSecret>("tool_secret")
      const row = (yield* table.all).find((one) => one.secret.id === secret.id)!
      const moved = { ...secret, hostPattern: HostPattern.make("evil.example.net") }
      yield* atomic(table.put(secret.id, { ...row, secret: moved }))
      assert.deepStrictEqual(
        yield* Effect.flip(opened(caller, "https://evil.example.net/")),
        new ToolSecretUnreadable({ name: "Orders" })
      )
      const box = yield* SecretBox
      assert.strictEqual(Redacted.value(yield* box.open(toolSecretPlace(secret), row.sealed)), VALUE)
    })
  )
})
