/** Reads notices and the record of actions. */
import type { ActivityEntry, ListActivityRequest } from "@agent-platform/client"
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import type { Session } from "../session/Session.ts"
import { PAGE_SIZE, paging } from "./usePages.ts"

/** The newest notices, and how many are unread. */
export const notificationsQuery = ({ client }: Session, unreadOnly = false) =>
  queryOptions({
    queryKey: ["notifications", unreadOnly],
    queryFn: ({ signal }) =>
      client.notifications.listNotifications({ query: unreadOnly ? { read: false } : {}, signal })
  })

/** Marks notices as read for the workspace: these, or all. */
export const markRead = ({ client }: Session, ids: ReadonlyArray<string> | "all") =>
  client.notifications.markNotificationsRead({ body: ids === "all" ? { all: true } : { ids } })

/** The filters of the record of actions, as the API takes them. */
export type ActivityFilters = Pick<
  NonNullable<ListActivityRequest["query"]>,
  "resource_type" | "resource_id" | "actor_type" | "since"
>

/** Entries about one resource that are read at most. */
const ABOUT_MAX = 200

/** The latest of what was done to a resource. */
export const activityAboutQuery = ({ client }: Session, resourceId: string, updatedAt: string) =>
  queryOptions({
    // `updatedAt` is in the key so that a change of the resource reads its entries anew.
    queryKey: ["activity", "about", resourceId, updatedAt],
    queryFn: async ({ signal }) => {
      const found: Array<ActivityEntry> = []
      const query = { resource_id: resourceId, limit: PAGE_SIZE }
      for await (const entry of client.items.activity.listActivity({ query, signal })) {
        if (found.push(entry) >= ABOUT_MAX) break
      }
      return found
    }
  })

/** The actions, newest first, page after page. */
export const activityQuery = ({ client }: Session, filters: ActivityFilters) =>
  infiniteQueryOptions({
    queryKey: ["activity", filters],
    queryFn: ({ pageParam, signal }) =>
      client.activity.listActivity({ query: { ...filters, limit: PAGE_SIZE, cursor: pageParam }, signal }),
    ...paging
  })
