/** The additions of a batch to the roll-ups, as a pure function. */
import { type BillingMonth, NO_SUMS, rollUp, type UsageCell } from "@agent-platform/billing"
import { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"

const at = (text: string) => DateTime.makeUnsafe(text)

const cell = (time: string): UsageCell => ({
  ...NO_SUMS,
  organizationId: anId(OrganizationId),
  workspaceId: anId(WorkspaceId),
  at: at(time),
  agentId: "agent",
  provider: "openai",
  model: "gpt-4o",
  keySource: "platform",
  firstToken: {},
  requests: 1
})

const november: BillingMonth = {
  month: "2026-11",
  timezone: "UTC",
  start: at("2026-11-01T00:00:00Z"),
  end: at("2026-12-01T00:00:00Z")
}

describe("a batch of several workspaces", () => {
  it("puts each call on a day of its own workspace's month, where zones change in another one's", () => {
    const time = "2026-11-30T20:00:00Z"
    const [plain, changing] = [cell(time), cell(time)]
    // The next month of the second workspace follows Berlin's calendar.
    const shorter = { ...november, end: at("2026-11-30T23:00:00Z") }
    const monthOf = ({ workspaceId }: { readonly workspaceId: WorkspaceId }) =>
      workspaceId === plain.workspaceId ? november : shorter
    for (const cells of [
      [plain, changing],
      [changing, plain]
    ]) {
      const { days } = rollUp(cells, [], monthOf, at("2026-11-01T00:00:00Z"))
      const ends = new Map(days.map(({ end, workspaceId }) => [workspaceId, DateTime.formatIso(end)]))
      assert.strictEqual(ends.get(plain.workspaceId), "2026-12-01T00:00:00.000Z")
      assert.strictEqual(ends.get(changing.workspaceId), "2026-11-30T23:00:00.000Z")
    }
  })
})
