/** Reads notices and the record of actions. */
import type { ListActivityRequest } from "@agent-platform/client"
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
export type ActivityFilters = Pick<NonNullable<ListActivityRequest["query"]>, "resource_type" | "actor_type" | "since">

/** The actions, newest first, page after page. */
export const activityQuery = ({ client }: Session, filters: ActivityFilters) =>
  infiniteQueryOptions({
    queryKey: ["activity", filters],
    queryFn: ({ pageParam, signal }) =>
      client.activity.listActivity({ query: { ...filters, limit: PAGE_SIZE, cursor: pageParam }, signal }),
    ...paging
  })
