/** Notices of tenants, for tests of what shows them. */
import { FeedLog, OrganizationId, UnitOfWork, WorkspaceId } from "@agent-platform/kernel"
import { aNotification } from "@agent-platform/kernel/testing"
import { DateTime, Effect } from "effect"
import type { Json, Tenant } from "./support.ts"

const AT = DateTime.makeUnsafe("2026-11-21T05:15:00.123Z")

/** Posts a notice to the tenant's workspace, or to all of the organization. */
export const posted = Effect.fnUntraced(function* (
  tenant: Tenant,
  whom: "workspace" | "organization" = "workspace",
  seconds = 0
) {
  const [log, unit] = [yield* FeedLog, yield* UnitOfWork]
  const notice = aNotification({
    organizationId: OrganizationId.make(tenant.organizationId),
    workspaceId: whom === "workspace" ? WorkspaceId.make(tenant.workspaceId) : null,
    createdAt: DateTime.add(AT, { seconds })
  })
  yield* unit.atomic(log.notify(notice))
  return notice
})

/** The items of a list. */
export const itemsOf = (json: Json) => json["items"] as unknown as ReadonlyArray<Readonly<Record<string, unknown>>>
