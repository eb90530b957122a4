import { WorkspaceId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import {
  type Role as AnyRole,
  GRANTS_MAX,
  isSamePart,
  type KeyGrantor,
  keepsAnOwner,
  type OrganizationRole,
  partFault,
  partRefusalOf,
  scopesOfKind,
  scopesOfRole,
  UserId,
  WORKSPACE_SCOPES
} from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { actor, grantor } from "./support.ts"

type Role = OrganizationRole | null

const EVERYTHING = scopesOfKind("organization")
const person = (role: AnyRole): KeyGrantor => ({ actor, scopes: scopesOfRole(role), key: null, session: null, role })

describe("who may change whom", () => {
  const roles: ReadonlyArray<Role> = ["owner", "admin", null]
  const end = DateTime.makeUnsafe("2027-01-01T00:00:00Z")
  const who: ReadonlyArray<readonly [string, KeyGrantor, Role]> = [
    ["an owner", person("owner"), "owner"],
    ["an admin", person("admin"), "admin"],
    ["a member", person("member"), null],
    ["the operator", { actor, scopes: EVERYTHING, key: null, session: null, role: null }, "owner"],
    ["a key without a bound", grantor(EVERYTHING), "owner"],
    ["a key without a bound that an admin made", grantor(EVERYTHING, { organizationRole: "admin" }), "admin"],
    ["a key without one of the scopes", grantor(EVERYTHING.filter((scope) => scope !== "webhooks:read")), null],
    ["a key that expires", grantor(EVERYTHING, { expiresAt: end }), null],
    ["a key with networks", grantor(EVERYTHING, { allowedIps: ["0.0.0.0/0", "::/0"] }), null],
    ["a workspace key", grantor(WORKSPACE_SCOPES, { kind: "workspace", organizationRole: null }), null]
  ]
  const ranks = { owner: 2, admin: 1, null: 0 }
  for (const [title, by, role] of who) {
    for (const from of roles) {
      for (const to of roles) {
        const reserved = [from, to].find((one) => ranks[`${one}`] > ranks[`${role}`])
        const change = `makes a member that is ${from ?? "nothing"} in the organization ${to ?? "nothing"}`
        it(`${title} ${reserved === undefined ? "" : "never "}${change}`, () => {
          const refused = partRefusalOf(by, from, { organizationRole: to, workspaces: [] })
          if (reserved == null) assert.isUndefined(refused)
          else assert.deepInclude(refused, { _tag: "RoleNotGrantable", role: reserved })
        })
      }
    }
  }
})

describe("a role in a workspace", () => {
  const workspaceId = anId(WorkspaceId)
  for (const role of ["member", "viewer"] as const) {
    const scopes = scopesOfRole(role)
    const given = { organizationRole: null, workspaces: [{ workspaceId, role }] }

    it(`of a ${role} is given by a key with all of its scopes`, () => {
      assert.isUndefined(partRefusalOf(grantor([...scopes, "org:admin"], { allowedIps: ["::1/128"] }), null, given))
    })

    for (const lacked of scopes) {
      it(`of a ${role} is not given by a key without ${lacked}`, () => {
        const refused = partRefusalOf(grantor(EVERYTHING.filter((scope) => scope !== lacked)), null, given)
        assert.deepInclude(refused, { _tag: "ScopeNotGrantable", scopes: [lacked] })
      })
    }
  }
})

describe("an organization keeps an owner", () => {
  const user = { id: anId(UserId), name: "Ada" }
  const cases: ReadonlyArray<readonly [string, Role, boolean, Role, number, boolean]> = [
    ["not when its last one is removed", "owner", true, null, 1, false],
    ["not when its last one becomes admin", "owner", true, "admin", 1, false],
    ["when its last one stays owner", "owner", true, "owner", 1, true],
    ["when one of two is removed", "owner", true, null, 2, true],
    ["when an owner is removed who has not joined", "owner", false, null, 1, true],
    ["when an owner is removed who has not joined, and none has", "owner", false, null, 0, true],
    ["when an admin is removed", "admin", true, null, 1, true],
    ["when a member of workspaces is removed", null, true, null, 0, true]
  ]
  for (const [title, organizationRole, joined, to, owners, kept] of cases) {
    it(title, () => {
      assert.strictEqual(keepsAnOwner({ organizationRole, user: joined ? user : null }, to, owners), kept)
    })
  }
})

describe("a part in an organization", () => {
  const [one, two] = [anId(WorkspaceId), anId(WorkspaceId)]
  const grant = (workspaceId = one, role: "member" | "viewer" = "member") => ({ workspaceId, role })

  it("is a role, or workspaces, or both", () => {
    assert.isUndefined(partFault({ organizationRole: "admin", workspaces: [] }))
    assert.isUndefined(partFault({ organizationRole: null, workspaces: [grant()] }))
    assert.isUndefined(partFault({ organizationRole: "owner", workspaces: [grant(), grant(two)] }))
    assert.strictEqual(partFault({ organizationRole: null, workspaces: [] })?.field, "organizationRole")
  })

  it("names a workspace once, and not more of them than there may be", () => {
    const twice = [grant(), grant(one, "viewer")]
    assert.strictEqual(partFault({ organizationRole: null, workspaces: twice })?.field, "workspaces")
    const many = Array.from({ length: GRANTS_MAX + 1 }, () => grant(anId(WorkspaceId)))
    assert.strictEqual(partFault({ organizationRole: null, workspaces: many })?.field, "workspaces")
    assert.isUndefined(partFault({ organizationRole: null, workspaces: many.slice(1) }))
  })

  it("is the same in whatever order its workspaces are named", () => {
    const part = { organizationRole: null, workspaces: [grant(), grant(two, "viewer")] }
    assert.isTrue(isSamePart(part, { ...part, workspaces: part.workspaces.toReversed() }))
    assert.isFalse(isSamePart(part, { ...part, organizationRole: "admin" }))
    assert.isFalse(isSamePart(part, { ...part, workspaces: [grant(one, "viewer"), grant(two)] }))
  })
})
