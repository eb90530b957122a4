import { WorkspaceId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import {
  GRANTS_MAX,
  isSamePart,
  keepsAnOwner,
  mayChange,
  type OrganizationRole,
  partFault,
  UserId
} from "@agent-platform/keys"
import { assert, describe, it } from "@effect/vitest"

type Role = OrganizationRole | null

describe("who may change whom", () => {
  const roles: ReadonlyArray<Role> = ["owner", "admin", null]
  for (const from of roles) {
    for (const to of roles) {
      const change = `makes a member that is ${from ?? "nothing"} in the organization ${to ?? "nothing"}`
      const reserved = from === "owner" || to === "owner"
      it(`an owner ${change}`, () => assert.isTrue(mayChange("owner", from, to)))
      it(`an admin ${reserved ? "never " : ""}${change}`, () =>
        assert.strictEqual(mayChange("admin", from, to), !reserved))
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
