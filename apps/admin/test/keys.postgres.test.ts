/** The way back in: keys over the operator's commands. */
import { anId } from "@agent-platform/kernel/testing"
import { ApiKeyId, Keys } from "@agent-platform/keys"
import { assert, layer as suite } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { admin, authenticate, bootstrapped, layer, printed, refused } from "./operating.ts"

suite(layer, { excludeTestServices: true })("the operator", (it) => {
  it.effect("gives an organization keys again that has lost all of them", () =>
    Effect.gen(function* () {
      const lost = yield* bootstrapped
      const organization = ["--organization", lost.organization_id]
      const workspace = [...organization, "--workspace", lost.workspace_id]
      for (const owner of [organization, workspace]) {
        const { items } = yield* printed("keys", "list", ...owner, "--json")
        assert.strictEqual(items.length, 1)
        assert.notProperty(items[0], "key")
        yield* printed("keys", "revoke", ...owner, "--key", items[0].id)
        const made = yield* printed("keys", "create", ...owner, "--name", "Recovered")
        const { key } = yield* authenticate(made.key)
        assert.deepInclude(key, { id: made.id, name: "Recovered", organizationId: lost.organization_id })
        assert.strictEqual(key.workspaceId, owner === workspace ? lost.workspace_id : null)
      }
      for (const value of [lost.org_key, lost.workspace_key]) {
        assert.strictEqual((yield* Effect.flip(authenticate(value)))._tag, "CredentialRefused")
      }
      const { out } = yield* admin("keys", "list", ...organization)
      assert.match(out, /Recovered +apk_org_\S+ +active/)
      assert.match(out, /First key of the organization +apk_org_\S+ +revoked/)
    })
  )

  it.effect("makes a key with the scopes that it names, those that no key has by default among them", () =>
    Effect.gen(function* () {
      const { organization_id, workspace_id } = yield* bootstrapped
      const workspace = ["--organization", organization_id, "--workspace", workspace_id]
      const made = yield* printed("keys", "create", ...workspace, "--scope", "data:erase", "--scope", "runs:read")
      assert.sameMembers(made.scopes, ["data:erase", "runs:read"])
      assert.sameMembers([...(yield* authenticate(made.key)).key.scopes], ["data:erase", "runs:read"])
      assert.notInclude((yield* printed("keys", "create", ...workspace)).scopes, "data:erase")
      assert.include(yield* refused("keys", "create", ...workspace, "--scope", "webhooks:read"), "webhooks:read")
    })
  )

  it.effect("revokes a key with what came of it, where that is asked for", () =>
    Effect.gen(function* () {
      const { org_key, organization_id } = yield* bootstrapped
      const organization = ["--organization", organization_id]
      const { key } = yield* authenticate(org_key)
      const actor = { type: "user", id: key.id, label: key.name } as const
      const child = yield* Keys.use((keys) =>
        keys.createApiKey({
          owner: { organizationId: key.organizationId, workspaceId: null },
          creator: { actor, scopes: key.scopes, key, session: null, role: null },
          name: "Child",
          scopes: undefined,
          expiresAt: undefined,
          allowedIps: undefined,
          rateLimit: null,
          metadata: {},
          idempotency: undefined
        })
      )
      const value = Redacted.value(child.value.value ?? Redacted.make(""))
      const revoked = yield* printed("keys", "revoke", ...organization, "--key", key.id)
      assert.isNull(revoked.descendants_revoked)
      yield* authenticate(value)
      const all = yield* printed("keys", "revoke", ...organization, "--key", key.id, "--descendants")
      assert.deepInclude(all, { id: key.id, status: "revoked", descendants_revoked: 1 })
      assert.strictEqual((yield* Effect.flip(authenticate(value)))._tag, "CredentialRefused")
    })
  )

  it.effect("rotates a key, at once or with a grace, and no key that is revoked or another owner's", () =>
    Effect.gen(function* () {
      const { org_key, organization_id, workspace_id, workspace_key } = yield* bootstrapped
      const organization = ["--organization", organization_id]
      const workspace = [...organization, "--workspace", workspace_id]
      const idOf = (value: string) => Effect.map(authenticate(value), ({ key }) => key.id)
      const orgId = yield* idOf(org_key)
      const graceful = yield* printed(
        "keys",
        "rotate",
        ...workspace,
        "--key",
        yield* idOf(workspace_key),
        "--grace-seconds",
        "600"
      )
      assert.strictEqual(yield* idOf(graceful.new.key), graceful.new.id)
      assert.strictEqual(yield* idOf(workspace_key), graceful.old.id)
      const abrupt = yield* printed("keys", "rotate", ...organization, "--key", orgId)
      assert.strictEqual(yield* idOf(abrupt.new.key), abrupt.new.id)
      assert.strictEqual((yield* Effect.flip(authenticate(org_key)))._tag, "CredentialRefused")

      yield* printed("keys", "revoke", ...organization, "--key", abrupt.new.id)
      const settled = yield* refused("keys", "rotate", ...organization, "--key", abrupt.new.id)
      assert.strictEqual(settled, "admin: The key is revoked. Make a new one")
      for (const key of [graceful.new.id, anId(ApiKeyId)]) {
        const missing = yield* refused("keys", "rotate", ...organization, "--key", key)
        assert.strictEqual(missing, "admin: There is no such key of this owner")
      }
    })
  )
})
