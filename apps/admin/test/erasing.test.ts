import { OrganizationId } from "@agent-platform/kernel"
import { assert, describe, it } from "vitest"
import { previewOf } from "../src/erasing.ts"

describe("the count of what an erasure would erase", () => {
  it("names no number for what is not counted to its end", () => {
    const organizationId = OrganizationId.make("01a1fd56-5a00-7c0b-a1c7-0c2b6ad1b7de")
    const subject = { kind: "organization", organizationId, workspaceId: null, subjectId: organizationId } as const
    assert.deepStrictEqual(previewOf(subject, { events: 2_001, deliveries: null }).split("\n"), [
      `This would erase the organization ${organizationId}:`,
      "events: 2001",
      "deliveries: not counted beforehand, there may be some"
    ])
  })
})
