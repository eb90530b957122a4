/** API keys of a host, in memory and in its database alike. */
import { createKeys, type EmbeddedKeys } from "@agent-platform/embed/keys"
import { assert, describe, it } from "vitest"
import { sharedHost } from "./database.ts"
import { refusal } from "./refusal.ts"

const host = sharedHost()

const OWN = [
  "api_key",
  "erasure",
  "fingerprint_key",
  "idempotency_key",
  "job_run",
  "organization",
  "platform_migration",
  "workspace"
]

const scopes = ["invoices:read", "invoices:write"] as const
type Scope = (typeof scopes)[number]

const places: ReadonlyArray<readonly [string, (more?: { readonly keysMax?: number }) => EmbeddedKeys<Scope>]> = [
  ["in memory", (more = {}) => createKeys({ memory: true, prefix: "acme_live_", scopes, ...more })],
  ["in the host's pool", (more = {}) => createKeys({ database: host().pool, prefix: "acme_live_", scopes, ...more })],
  [
    "by a URL",
    (more = {}) => createKeys({ database: host().url, schema: "by_url", prefix: "acme_live_", scopes, ...more })
  ]
]

for (const [place, open] of places) {
  describe(`keys ${place}`, () => {
    it("stand for their tenant and scopes, under the host's prefix", async () => {
      await using keys = open()
      await keys.migrate()
      const tenant = "Acme & Söhne"
      const made = await keys.create(tenant, { name: "CI", scopes: ["invoices:read"], metadata: { team: "7" } })
      assert.match(made.value, /^acme_live_[0-9A-Za-z]{49}$/)
      assert.match(made.hint, /^acme_live_.{4}….{4}$/)
      const found = await keys.verify(made.value, { scopes: ["invoices:read"] })
      assert.isTrue(found.valid)
      if (!found.valid) return
      assert.strictEqual(found.tenant, tenant)
      assert.deepStrictEqual(found.scopes, ["invoices:read"])
      assert.deepInclude(found.key, { id: made.id, metadata: { team: "7" }, status: "active" })
      const lacking = await keys.verify(made.value, { scopes: ["invoices:read", "invoices:write"] })
      assert.deepInclude(lacking, { valid: false, code: "scope_missing", message: "The key lacks invoices:write" })
      // @ts-expect-error It must not compile, since only declared scopes have a name; what JavaScript sends is refused all the same.
      const foreign = () => keys.verify(made.value, { scopes: ["runs:read"] })
      assert.strictEqual((await refusal(foreign)).code, "scope_unknown")
    })

    it("are changed, rotated with a grace, and revoked at once, each of its tenant alone", async () => {
      await using keys = open()
      await keys.migrate()
      const tenant = "rotating"
      const first = await keys.create(tenant, { name: "first", scopes: ["invoices:read"] })
      const changed = await keys.update(tenant, first.id, { name: "renamed", scopes, allowedIps: ["203.0.113.0/24"] })
      assert.deepInclude(changed, { name: "renamed", allowedIps: ["203.0.113.0/24"] })
      assert.deepInclude(await keys.verify(first.value), { valid: false, code: "address_not_allowed" })
      assert.isTrue((await keys.verify(first.value, { scopes, clientAddress: "203.0.113.9" })).valid)
      await keys.update(tenant, first.id, { allowedIps: [], disabled: true })
      assert.deepInclude(await keys.verify(first.value), { valid: false, code: "disabled" })
      await keys.update(tenant, first.id, { disabled: false })
      const second = await keys.rotate(tenant, first.id, { graceSeconds: 60 })
      assert.isTrue((await keys.verify(first.value)).valid)
      assert.isTrue((await keys.verify(second.value, { scopes })).valid)
      assert.strictEqual((await refusal(() => keys.rotate(tenant, first.id))).code, "key_settled")
      const third = await keys.rotate(tenant, second.id, { graceSeconds: 0 })
      assert.deepInclude(await keys.verify(second.value), { valid: false, code: "expired" })
      for (const act of [
        () => keys.revoke("other", third.id),
        () => keys.update("other", third.id, { name: "x" }),
        () => keys.rotate("other", third.id),
        () => keys.revoke(tenant, "no-uuid")
      ]) {
        assert.strictEqual((await refusal(act)).code, "key_not_found")
      }
      assert.strictEqual((await keys.revoke(tenant, third.id)).status, "revoked")
      assert.deepInclude(await keys.verify(third.value), { valid: false, code: "revoked" })
      const page = await keys.list(tenant, { limit: 2 })
      const rest = await keys.list(tenant, { limit: 2, after: page.next })
      assert.deepStrictEqual(
        [...page.items, ...rest.items].map(({ id }) => id),
        [third.id, second.id, first.id]
      )
      assert.notProperty(page.items[0], "value")
    })

    it("are refused for what was never one, and bounded by tenant", async () => {
      await using keys = open({ keysMax: 1 })
      await keys.migrate()
      const { value } = await keys.create("bounded", { name: "one", scopes })
      const wrong = `${value.slice(0, -1)}${value.endsWith("a") ? "b" : "a"}`
      for (const given of ["", wrong, value.replace("acme_live_", "acme_test_"), `${value}a`, "x".repeat(1_000_000)]) {
        assert.deepInclude(await keys.verify(given), { valid: false, code: "malformed" })
      }
      await using other = createKeys({ memory: true, prefix: "acme_live_", scopes })
      const foreign = await other.create("bounded", { name: "one", scopes })
      assert.deepInclude(await keys.verify(foreign.value), { valid: false, code: "unknown" })
      await using prefixed = createKeys({ memory: true, prefix: "acme_test_", scopes })
      const whole = await prefixed.create("bounded", { name: "one", scopes })
      assert.deepInclude(await keys.verify(whole.value), { valid: false, code: "malformed" })
      const beyond = await refusal(() => keys.create("bounded", { name: "two", scopes }))
      assert.strictEqual(beyond.code, "key_quota_exceeded")
      assert.deepStrictEqual(beyond.details, { limit: 1 })
      const past = () => keys.create("past", { name: "x", scopes, expiresAt: new Date(0) })
      assert.strictEqual((await refusal(past)).code, "input_invalid")
    })
  })
}

describe("keys in a host's database", () => {
  it("have tables of their own, by name, and nothing else", async () => {
    const before = await host().everythingBut()
    await using keys = createKeys({ database: host().url, schema: "named", scopes })
    const missing = await refusal(() => keys.list("acme"))
    assert.strictEqual(missing.code, "not_migrated")
    assert.include(await keys.migrate(), "keyring_0001_first")
    assert.deepStrictEqual(await host().tablesIn("named"), OWN)
    assert.strictEqual(await host().everythingBut("named"), before)
    assert.deepStrictEqual(await keys.migrate(), [])
  })

  it("keep no value, and the same tenant by whichever process", async () => {
    await using one = createKeys({ database: host().pool, schema: "shared_keys", scopes })
    await one.migrate()
    const { value } = await one.create("acme", { name: "CI", scopes })
    const { rows } = await host().pool.query<{ text: string }>("select api_key::text as text from shared_keys.api_key")
    assert.notInclude(rows[0]?.text ?? value, value)
    await using other = createKeys({ database: host().url, schema: "shared_keys", scopes: ["invoices:read"] })
    const found = await other.verify(value)
    assert.deepInclude(found, { valid: true, tenant: "acme", scopes: ["invoices:read"] })
  })

  it("undo what they have written in a host's transaction where they refuse, and nothing else of it", async () => {
    await using keys = createKeys({ database: host().pool, schema: "refusing", scopes })
    await keys.migrate()
    await using session = await host().session()
    const { client } = session
    await client.query("begin")
    await keys.create("kept", { name: "x", scopes }, { client })
    const late = () => keys.create("late", { name: "x", scopes, expiresAt: new Date(0) }, { client })
    assert.strictEqual((await refusal(late)).code, "input_invalid")
    await client.query("commit")
    const { rows } = await host().pool.query("select name from refusing.organization")
    assert.deepStrictEqual(rows, [{ name: "kept" }])
    const outside = () => keys.create("outside", { name: "x", scopes }, { client: host().pool })
    assert.strictEqual((await refusal(outside)).code, "client_without_transaction")
  })

  it("refuse options that cannot be", async () => {
    const given: ReadonlyArray<readonly [unknown, string]> = [
      [{ scopes }, "option_invalid"],
      [{ memory: true, scopes: [] }, "option_invalid"],
      [{ memory: true, scopes: ["a b"] }, "option_invalid"],
      [{ memory: true, scopes, prefix: "acme" }, "option_invalid"],
      [{ memory: true, scopes, keysMax: 0 }, "option_invalid"],
      [{ database: host().url, schema: "Pg; drop", scopes }, "schema_invalid"]
    ]
    for (const [options, code] of given) {
      const error = await refusal(() => createKeys(options as Parameters<typeof createKeys>[0]))
      assert.strictEqual(error.code, code, JSON.stringify(options))
    }
  })
})
