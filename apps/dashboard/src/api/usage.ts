/** Reads what a workspace has used, and what it may still spend. */
import { queryOptions } from "@tanstack/react-query"
import type { Session } from "../session/Session.ts"

/** The costs of a month by day and model; of the present month when none is named. */
export const monthQuery = ({ client }: Session, month: string | undefined) =>
  queryOptions({
    queryKey: ["usage", "month", month],
    queryFn: ({ signal }) => client.analytics.readBillingMonth({ query: { month, group_by: ["model"] }, signal })
  })

/** The last 30 days by the hour, with outcomes of runs. */
export const hoursQuery = ({ client }: Session) =>
  queryOptions({
    queryKey: ["usage", "hours"],
    queryFn: ({ signal }) => client.analytics.readHourlyUsage({ signal }),
    // Some hundred kilobytes: not again at every look at the tab.
    staleTime: 60_000
  })

/** The cap of the workspace, and how much of it is spent at this moment. */
export const spendCapQuery = ({ client }: Session) =>
  queryOptions({
    queryKey: ["usage", "cap"],
    queryFn: async ({ signal }) => (await client.workspaces.readWorkspace({ signal })).spend_cap
  })
