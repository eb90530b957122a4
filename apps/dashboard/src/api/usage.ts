/** Reads what a workspace has used, or all of an organization together, and what may still be spent. */
import type {
  BillingMonth,
  HourlyUsage,
  OrganizationBillingMonth,
  ReadOrganizationBillingMonthRequest
} from "@agent-platform/client"
import { queryOptions } from "@tanstack/react-query"
import type { Session } from "../session/Session.ts"

/** Whose usage. */
export type UsageOf = "workspace" | "organization"

/** By which the parts of a day are told apart. */
export type Grouping = NonNullable<NonNullable<ReadOrganizationBillingMonthRequest["query"]>["group_by"]>[number]

/** The costs of a month, of a workspace or of an organization, and the parts that were asked for. */
export type Month = (BillingMonth | OrganizationBillingMonth) & { readonly by: ReadonlyArray<Grouping> }

interface MonthAsked {
  readonly of: UsageOf
  /** The present month when undefined. */
  readonly month: string | undefined
  readonly by: ReadonlyArray<Grouping>
}

/** The costs of a month by day and these parts. */
export const monthQuery = ({ client: { analytics } }: Session, { by, month, of }: MonthAsked) =>
  queryOptions({
    queryKey: ["usage", of, "month", month, by],
    queryFn: async ({ signal }): Promise<Month> => {
      if (of === "organization") {
        return { by, ...(await analytics.readOrganizationBillingMonth({ query: { month, group_by: by }, signal })) }
      }
      // A workspace has no parts by workspace.
      const group_by = by.filter((one) => one !== "workspace_id")
      return { by, ...(await analytics.readBillingMonth({ query: { month, group_by }, signal })) }
    }
  })

/** The latest days by the hour, with outcomes of runs: 30 of a workspace, 7 of an organization. */
export const hoursQuery = ({ client: { analytics } }: Session, of: UsageOf) =>
  queryOptions({
    queryKey: ["usage", of, "hours"],
    queryFn: ({ signal }): Promise<HourlyUsage> =>
      of === "organization" ? analytics.readOrganizationHourlyUsage({ signal }) : analytics.readHourlyUsage({ signal }),
    // Some hundred kilobytes: not again at every look at the tab.
    staleTime: 60_000
  })

/** The cap of the workspace, and how much of it is spent at this moment. */
export const spendCapQuery = ({ client }: Session) =>
  queryOptions({
    queryKey: ["usage", "workspace", "cap"],
    queryFn: async ({ signal }) => (await client.workspaces.readWorkspace({ signal })).spend_cap
  })
