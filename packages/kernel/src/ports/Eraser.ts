/** The part of each domain in an erasure: it erases its own rows. */
import { Context, type Effect } from "effect"
import type { ErasedCounts } from "../Erasure.ts"
import type { OrganizationId, WorkspaceId } from "../Ids.ts"
import type { Transaction } from "./UnitOfWork.ts"

/** Resources of a workspace by their ids, of any kind (runs, sessions, agents), a few hundred at most. */
export interface ErasedResources {
  readonly _tag: "Resources"
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
  readonly ids: ReadonlyArray<string>
}

/** All of a workspace; or, where that is null, all that an organization has beside its workspaces. */
export interface ErasedTenant {
  readonly _tag: "Tenant"
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId | null
}

/** A person, by everything that they are known by. */
export interface ErasedPerson {
  readonly _tag: "Person"
  /** Null for somebody who was only invited. */
  readonly userId: string | null
  readonly memberIds: ReadonlyArray<string>
  readonly emails: ReadonlyArray<string>
}

/** All forms of what is erased. */
export type Erased = ErasedResources | ErasedTenant | ErasedPerson

/** A portion that is gone. */
export interface ErasedPortion {
  readonly counts: ErasedCounts
  /** Whether nothing is left to erase. Rows of resources are left only while somebody else holds them. */
  readonly isOver: boolean
}

/** Shown in the place of a person's name. */
export const ERASED_PERSON = "erased person"

/** Shown in the place of the id of something that was erased. */
export const ERASED_ID = "00000000-0000-0000-0000-000000000000"

/** Erases what one domain keeps. Doing it again, or at once with others, is harmless. */
export interface Eraser {
  /** How much there is of each kind, each counted no further than `max`. */
  readonly count: (what: Erased, max: number) => Effect.Effect<ErasedCounts>
  /** Erases up to `max` rows of each kind of a tenant or a person, and all rows of resources, which are few. */
  readonly erase: (what: Erased, max: number) => Effect.Effect<ErasedPortion, never, Transaction>
}

/** The eraser of idempotency keys. Held by `recordEraserContract`. */
export class RecordEraser extends Context.Service<RecordEraser, Eraser>()("@agent-platform/kernel/RecordEraser") {}

/** The portion with these counts: over where all of them are zero, and always for resources, whose rows all go at once. */
export const portionOf = (what: Erased, counts: ErasedCounts): ErasedPortion => ({
  counts,
  isOver: what._tag === "Resources" || Object.values(counts).every((count) => count === 0)
})

/** No limit: the largest integer of Postgres. */
const ROWS_OF_RESOURCES_MAX = 2_147_483_647

/** How many rows of each kind go at once: all where resources are erased. */
export const rowsMaxOf = (what: Erased, max: number): number =>
  what._tag === "Resources" ? ROWS_OF_RESOURCES_MAX : max
