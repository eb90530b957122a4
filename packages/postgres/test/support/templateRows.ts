/** A template of a tenant, and a workspace's part in it, for tests of the schema itself. */
import { texts } from "../../src/columns.ts"

const NOW = new Date("2026-11-21T05:15:00.123Z")

/** The rows, by their tables. */
export const templateRows = (ids: {
  readonly organization: string
  readonly workspace: string
  readonly template: string
  readonly toolSecret: string
}) => [
  [
    "template",
    {
      organization_id: ids.organization,
      id: ids.template,
      kind: "tool_secret",
      settings: "{}",
      sealed: "",
      version: 1,
      value_version: 1,
      created_at: NOW,
      created_by_type: "user",
      created_by_id: "",
      updated_at: NOW,
      spread_done: 0,
      spread_total: 1,
      spread_turns: 0
    }
  ] as const,
  [
    "template_member",
    {
      organization_id: ids.organization,
      workspace_id: ids.workspace,
      template_id: ids.template,
      resource_id: ids.toolSecret,
      version: 1,
      overridden: texts([])
    }
  ] as const
]
