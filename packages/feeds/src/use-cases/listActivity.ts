import type { WorkspaceCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { type ActivityFilter, readPosition } from "../Activity.ts"
import { ActivityFeed } from "../ports/ActivityFeed.ts"

export interface ListActivity {
  readonly caller: WorkspaceCaller
  /** Whether the caller may see the entries of the organization itself; they are listed then. */
  readonly includesOrganization: boolean
  readonly filter: ActivityFilter
  /** `before` is the `next` of the page before. */
  readonly page: { readonly limit: number; readonly before: string | undefined }
}

/** The acts in the workspace, newest first. Spec: Activity. */
export const listActivity = useCase("feeds.listActivity")(function* (query: ListActivity) {
  const feed = yield* ActivityFeed
  const { caller, filter, includesOrganization, page } = query
  const { organizationId, workspaceId } = caller
  const before = page.before === undefined ? undefined : readPosition(page.before)
  return yield* feed.list({ organizationId, workspaceId, includesOrganization }, filter, { limit: page.limit, before })
})
