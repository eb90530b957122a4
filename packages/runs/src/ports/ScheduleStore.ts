import type { OrganizationId, Page, PageRequest, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, Effect, Layer } from "effect"
import type { AgentId } from "../Agent.ts"
import type { Schedule, ScheduleId } from "../Schedule.ts"

/** A workspace with its organization, as turns are given to it. */
export interface WorkspacePlace {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
}

/** Keeps schedules. Tested by `scheduleStoreContract`. */
export class ScheduleStore extends Context.Service<
  ScheduleStore,
  {
    /**
     * How many schedules the workspace has, counted no further than `max`. Until the transaction ends nobody else counts
     * them.
     */
    readonly holdCount: (workspaceId: WorkspaceId, max: number) => Effect.Effect<number, never, Transaction>
    readonly insert: (schedule: Schedule) => Effect.Effect<void, never, Transaction>
    /** The workspace's schedule with this id. */
    readonly find: (workspaceId: WorkspaceId, id: ScheduleId) => Effect.Effect<Schedule | undefined>
    /** As `find`, held until the transaction ends: nobody else changes the schedule, and none of its times is dealt with meanwhile. */
    readonly hold: (workspaceId: WorkspaceId, id: ScheduleId) => Effect.Effect<Schedule | undefined, never, Transaction>
    /** The enabled schedules of an agent, held in the same way. */
    readonly holdOfAgent: (
      workspaceId: WorkspaceId,
      agentId: AgentId
    ) => Effect.Effect<ReadonlyArray<Schedule>, never, Transaction>
    /** The workspace's schedules, newest first: all of them, or those of one agent. */
    readonly list: (
      workspaceId: WorkspaceId,
      filter: { readonly agentId?: AgentId | undefined },
      page: PageRequest
    ) => Effect.Effect<Page<Schedule>>
    /** Writes schedules that are held. */
    readonly update: (schedules: ReadonlyArray<Schedule>) => Effect.Effect<void, never, Transaction>
    /** Removes a schedule, and answers it as it was; undefined when the workspace has none with this id. */
    readonly remove: (
      workspaceId: WorkspaceId,
      id: ScheduleId
    ) => Effect.Effect<Schedule | undefined, never, Transaction>
    /** Up to `limit` workspaces with schedules that are due at `at`, in the order of organization and workspace, after a place in it. */
    readonly dueWorkspaces: (query: {
      readonly at: DateTime.Utc
      readonly after: WorkspacePlace | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<WorkspacePlace>>
    /**
     * Up to `max` schedules of a workspace that are due at `at`, those that wait longest first, held until the transaction ends.
     * Those that others hold at this moment are left out, not waited for. With `only` the one with this id alone.
     */
    readonly holdDue: (query: {
      readonly workspace: WorkspacePlace
      readonly at: DateTime.Utc
      readonly max: number
      readonly only?: ScheduleId | undefined
    }) => Effect.Effect<ReadonlyArray<Schedule>, never, Transaction>
  }
>()("@agent-platform/runs/ScheduleStore") {
  /** For hosts that offer no schedules: there are none, and making one is a defect that says so. */
  static readonly layerNone: Layer.Layer<ScheduleStore> = Layer.succeed(ScheduleStore, {
    holdCount: () => Effect.succeed(0),
    insert: () => Effect.die(new Error("Schedules cannot be made: ScheduleStore.layerNone keeps none")),
    find: () => Effect.succeed(undefined),
    hold: () => Effect.succeed(undefined),
    holdOfAgent: () => Effect.succeed([]),
    list: () => Effect.succeed({ items: [], next: undefined }),
    update: () => Effect.void,
    remove: () => Effect.succeed(undefined),
    dueWorkspaces: () => Effect.succeed([]),
    holdDue: () => Effect.succeed([])
  })
}
