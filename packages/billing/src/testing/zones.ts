import type { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { aTenant, type Tenant, type Tenants } from "@agent-platform/kernel/testing"
import { beginningOfDay } from "@agent-platform/toolkit"
import { Context, DateTime, Effect, Layer } from "effect"
import type { BillingMonth } from "../BillingMonth.ts"
import { type ReadWorkspace, type WorkspaceCalendar, WorkspaceCalendars } from "../ports/WorkspaceCalendars.ts"

const beginningOf = (timezone: string, year: number, month: number): DateTime.Utc =>
  beginningOfDay(timezone, { year: year + Math.floor((month - 1) / 12), month: ((month - 1) % 12) + 1, day: 1 })

/** The calendar of a workspace that never changes its zone. */
export const aCalendar = (timezone: string): WorkspaceCalendar => {
  const monthOf = (year: number, month: number): BillingMonth => ({
    month: `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}`,
    timezone,
    start: beginningOf(timezone, year, month),
    end: beginningOf(timezone, year, month + 1)
  })
  return {
    zones: timezone,
    monthAt: (at) => {
      const { month, year } = DateTime.toParts(DateTime.setZoneNamedUnsafe(at, timezone))
      return monthOf(year, month)
    },
    monthNamed: (name) => monthOf(Number(name.slice(0, 4)), Number(name.slice(5)))
  }
}

/** The name that suites give to their workspaces. */
export const nameOfWorkspace = (workspaceId: WorkspaceId): string => `Workspace ${workspaceId}`

/** The zones of a suite's workspaces, UTC by default. An organization has the workspaces whose zone was set. */
export class Zones extends Context.Service<
  Zones,
  { readonly set: (tenant: Tenant, timezone: string) => Effect.Effect<void> }
>()("@agent-platform/billing/testing/Zones") {
  static readonly layer: Layer.Layer<Zones | WorkspaceCalendars> = Layer.unwrap(
    Effect.sync(() => {
      const zones = new Map<WorkspaceId, { readonly organizationId: OrganizationId; readonly timezone: string }>()
      const read = (workspaceId: WorkspaceId): ReadWorkspace => ({
        workspaceId,
        name: nameOfWorkspace(workspaceId),
        calendar: aCalendar(zones.get(workspaceId)?.timezone ?? "UTC")
      })
      return Layer.merge(
        Layer.succeed(Zones, {
          set: ({ organizationId, workspaceId }, timezone) =>
            Effect.sync(() => void zones.set(workspaceId, { organizationId, timezone }))
        }),
        Layer.succeed(WorkspaceCalendars, {
          read: (_, workspaceId) => Effect.sync(() => read(workspaceId)),
          all: (organizationId) =>
            Effect.sync(() =>
              [...zones].flatMap(([id, one]) => (one.organizationId === organizationId ? [read(id)] : []))
            )
        })
      )
    })
  )
}

/** Makes a workspace in this zone, by default of an organization of its own. */
export const aTenantIn = (
  timezone: string,
  override: Partial<Tenant> = {}
): Effect.Effect<Tenant, never, Tenants | Zones> =>
  Effect.tap(aTenant(override), (tenant) => Zones.use((zones) => zones.set(tenant, timezone)))
