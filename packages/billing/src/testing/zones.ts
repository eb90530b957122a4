import type { WorkspaceId } from "@agent-platform/kernel"
import { aTenant, type Tenant, type Tenants } from "@agent-platform/kernel/testing"
import { beginningOfDay } from "@agent-platform/toolkit"
import { Context, DateTime, Effect, Layer } from "effect"
import type { BillingMonth } from "../BillingMonth.ts"
import { type WorkspaceCalendar, WorkspaceCalendars } from "../ports/WorkspaceCalendars.ts"

const beginningOf = (timezone: string, year: number, month: number): DateTime.Utc =>
  beginningOfDay(timezone, { year: year + Math.floor((month - 1) / 12), month: ((month - 1) % 12) + 1, day: 1 })

/** The calendar of a workspace that always was and will be in this zone. */
export const aCalendar = (timezone: string): WorkspaceCalendar => {
  const monthOf = (year: number, month: number): BillingMonth => ({
    month: `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}`,
    timezone,
    start: beginningOf(timezone, year, month),
    end: beginningOf(timezone, year, month + 1)
  })
  return {
    monthAt: (at) => {
      const { month, year } = DateTime.toParts(DateTime.setZoneNamedUnsafe(at, timezone))
      return monthOf(year, month)
    },
    monthNamed: (name) => monthOf(Number(name.slice(0, 4)), Number(name.slice(5)))
  }
}

/** The zones of the workspaces of a suite; UTC by default. */
export class Zones extends Context.Service<
  Zones,
  { readonly set: (workspaceId: WorkspaceId, timezone: string) => Effect.Effect<void> }
>()("@agent-platform/billing/testing/Zones") {
  static readonly layer: Layer.Layer<Zones | WorkspaceCalendars> = Layer.unwrap(
    Effect.sync(() => {
      const zones = new Map<WorkspaceId, string>()
      return Layer.merge(
        Layer.succeed(Zones, {
          set: (workspaceId, timezone) => Effect.sync(() => void zones.set(workspaceId, timezone))
        }),
        Layer.succeed(WorkspaceCalendars, {
          read: (_, workspaceId) => Effect.sync(() => aCalendar(zones.get(workspaceId) ?? "UTC"))
        })
      )
    })
  )
}

/** A workspace that is there, in this zone. */
export const aTenantIn = (timezone: string): Effect.Effect<Tenant, never, Tenants | Zones> =>
  Effect.tap(aTenant(), ({ workspaceId }) => Zones.use((zones) => zones.set(workspaceId, timezone)))
