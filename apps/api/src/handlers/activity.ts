/** The activity feed of a workspace. Spec: Activity. */
import { Api, type Caller, CurrentCaller } from "@agent-platform/contract"
import { Feeds } from "@agent-platform/feeds"
import type { ActivityRecord } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { workspaceCaller } from "../callers.ts"
import { makeCursors } from "../cursors.ts"

const ROUTE = "GET /api/v1/activity"

/** Whether the caller may see the activity of the organization itself. Spec: Activity 4. */
const seesOrganization = ({ credential }: Caller): boolean =>
  credential.type === "api_key"
    ? credential.kind === "organization"
    : credential.user.role === "owner" || credential.user.role === "admin"

const activityView = (entry: ActivityRecord) => ({
  ...entry,
  actorType: entry.actor.type,
  actorLabel: entry.actor.label
})

/** Handlers of the activity feed. */
export const layerActivity = HttpApiBuilder.group(
  Api,
  "activity",
  Effect.fnUntraced(function* (handlers) {
    const feeds = yield* Feeds
    const cursors = yield* makeCursors
    return handlers.handleAll({
      listActivity: Effect.fnUntraced(function* ({ query }) {
        const caller = yield* workspaceCaller
        const includesOrganization = seesOrganization(yield* CurrentCaller)
        const { actor_type: actorType, resource_id: resourceId, resource_type: resourceType, since } = query
        const filters = {
          ...(actorType === undefined ? {} : { actor_type: actorType }),
          ...(resourceId === undefined ? {} : { resource_id: resourceId }),
          ...(resourceType === undefined ? {} : { resource_type: resourceType }),
          ...(since === undefined ? {} : { since: DateTime.formatIso(since) })
        }
        const scope = { route: ROUTE, owner: caller.workspaceId, filters }
        const filter = { actorType, resourceId, resourceType, since }
        const page = yield* cursors.page(
          scope,
          query,
          (page) => feeds.listActivity({ caller, includesOrganization, filter, page }),
          activityView
        )
        return { ...page, includesAdminEntries: includesOrganization }
      })
    })
  })
)
