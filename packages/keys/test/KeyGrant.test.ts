/** The grants that may be given to keys. Spec: API keys 8. */
import {
  DEFAULT_KEY_FORMS,
  type KeyKind,
  ORGANIZATION_SCOPES,
  type Role,
  type Scope,
  WORKSPACE_SCOPES
} from "@agent-platform/keys"
import { DateTime } from "effect"
import { assert, describe, it } from "vitest"
import { changeRefusalOf, type Grant, grantableScopes, refusalOf } from "../src/KeyGrant.ts"
import { actor, grantor } from "./support.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")
const inHours = (hours: number) => DateTime.add(NOW, { hours })
const EVERYTHING = [...WORKSPACE_SCOPES, ...ORGANIZATION_SCOPES]

const aGrant = (override: Partial<Grant> = {}): Grant => ({
  kind: "workspace",
  scopes: ["runs:read"],
  expiresAt: null,
  allowedIps: [],
  ...override
})

const person = (role: Role, scopes: ReadonlyArray<Scope>) => ({ actor, scopes, key: null, session: null, role })

describe("the scopes that can be given", () => {
  const SOME: ReadonlyArray<Scope> = ["runs:read", "org:admin"]
  const cases: ReadonlyArray<readonly [string, Parameters<typeof grantableScopes>[0], KeyKind, ReadonlyArray<Scope>]> =
    [
      ["a key to a workspace key: its own of a workspace", grantor(SOME), "workspace", ["runs:read"]],
      ["a key to an organization key: its own", grantor(SOME), "organization", SOME],
      ["a member: its own", person("member", ["runs:read"]), "workspace", ["runs:read"]],
      ["a viewer: its own", person("viewer", ["runs:read"]), "workspace", ["runs:read"]],
      ["an owner to a workspace key: all of a workspace", person("owner", SOME), "workspace", WORKSPACE_SCOPES],
      ["an owner to an organization key: all, webhooks included", person("owner", SOME), "organization", EVERYTHING],
      ["an admin to an organization key: all, webhooks included", person("admin", SOME), "organization", EVERYTHING]
    ]
  for (const [title, who, kind, expected] of cases) {
    it(`by ${title}`, () => assert.deepStrictEqual(grantableScopes(who, DEFAULT_KEY_FORMS[kind]), expected))
  }
})

describe("a grant", () => {
  const strong = grantor(EVERYTHING)
  const bound = grantor(["runs:read"], { expiresAt: inHours(24), allowedIps: ["10.0.0.0/8"] })
  const cases: ReadonlyArray<readonly [string, Parameters<typeof refusalOf>[0], Grant, string | undefined]> = [
    ["of what the grantor has", strong, aGrant({ scopes: WORKSPACE_SCOPES }), undefined],
    ["of a scope that the grantor lacks", bound, aGrant({ scopes: ["runs:write"] }), "ScopeNotGrantable"],
    ["of a scope that the kind lacks", strong, aGrant({ scopes: ["webhooks:read"] }), "ScopeNotGrantable"],
    ["that ends now", strong, aGrant({ expiresAt: NOW }), "ExpiryNotGrantable"],
    ["that ends in a moment", strong, aGrant({ expiresAt: DateTime.add(NOW, { milliseconds: 1 }) }), undefined],
    [
      "that ends with the grantor's key",
      bound,
      aGrant({ expiresAt: inHours(24), allowedIps: ["10.0.0.0/8"] }),
      undefined
    ],
    ["that ends after the grantor's key", bound, aGrant({ expiresAt: inHours(25) }), "ExpiryNotGrantable"],
    ["that never ends, by a key that does", bound, aGrant(), "ExpiryNotGrantable"],
    [
      "of networks inside the grantor's",
      bound,
      aGrant({ expiresAt: inHours(1), allowedIps: ["10.9.0.0/16"] }),
      undefined
    ],
    ["of everywhere, by a key that is bound", bound, aGrant({ expiresAt: inHours(1) }), "AddressNotGrantable"],
    [
      "of a network outside of the grantor's",
      bound,
      aGrant({ expiresAt: inHours(1), allowedIps: ["11.0.0.0/8"] }),
      "AddressNotGrantable"
    ],
    ["by a person is bound by no session", person("viewer", ["runs:read"]), aGrant(), undefined]
  ]
  for (const [title, who, grant, refused] of cases) {
    it(`${title} is ${refused ?? "given"}`, () =>
      assert.strictEqual(refusalOf(who, grant, DEFAULT_KEY_FORMS[grant.kind], NOW)?._tag, refused))
  }

  it("that is refused says which scopes or networks are", () => {
    const scopes = refusalOf(
      bound,
      aGrant({ scopes: ["runs:write", "runs:read", "byok:read"] }),
      DEFAULT_KEY_FORMS.workspace,
      NOW
    )
    assert.deepInclude(scopes, { scopes: ["runs:write", "byok:read"] })
    const networks = refusalOf(
      bound,
      aGrant({ expiresAt: inHours(1), allowedIps: ["10.0.0.0/8", "192.0.2.0/24"] }),
      DEFAULT_KEY_FORMS.workspace,
      NOW
    )
    assert.deepInclude(networks, { networks: ["192.0.2.0/24"] })
  })
})

describe("a change", () => {
  it("that takes scopes away is refused to who lacks them", () => {
    const before = aGrant({ scopes: ["runs:read", "runs:write"] })
    const refused = changeRefusalOf(grantor(["runs:read"]), before, aGrant(), DEFAULT_KEY_FORMS.workspace, NOW)
    assert.deepInclude(refused, { _tag: "ScopeNotGrantable", scopes: ["runs:write"] })
  })

  it("is judged by what it comes to, whatever was there before", () => {
    const bound = grantor(["runs:read"], { expiresAt: inHours(1) })
    assert.isUndefined(
      changeRefusalOf(bound, aGrant(), aGrant({ expiresAt: inHours(1) }), DEFAULT_KEY_FORMS.workspace, NOW)
    )
    assert.strictEqual(
      changeRefusalOf(bound, aGrant(), aGrant(), DEFAULT_KEY_FORMS.workspace, NOW)?._tag,
      "ExpiryNotGrantable"
    )
  })
})
