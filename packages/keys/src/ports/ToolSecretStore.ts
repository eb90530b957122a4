import type { Page, PageRequest, SealedValue, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type Effect } from "effect"
import type { HostPattern } from "../HostPattern.ts"
import type { ToolSecret, ToolSecretId } from "../ToolSecret.ts"

/** A secret with its value, sealed for `toolSecretPlace(secret)`. */
export interface SealedToolSecret {
  readonly secret: ToolSecret
  readonly sealed: string
}

/** Keeps the secrets of tools. Held by `toolSecretStoreContract`. */
export class ToolSecretStore extends Context.Service<
  ToolSecretStore,
  {
    /**
     * How many secrets the workspace has, counted up to `max`. Until the transaction ends every other caller for that workspace
     * waits.
     */
    readonly hold: (workspaceId: WorkspaceId, max: number) => Effect.Effect<number, never, Transaction>
    /** Other secrets of the workspace that have this one's name, or its header and pattern: two at most. */
    readonly alike: (secret: ToolSecret) => Effect.Effect<ReadonlyArray<ToolSecret>, never, Transaction>
    readonly insert: (secret: ToolSecret, sealed: string) => Effect.Effect<void, never, Transaction>
    /** The workspace's secret with this id. */
    readonly find: (workspaceId: WorkspaceId, id: ToolSecretId) => Effect.Effect<ToolSecret | undefined>
    /** The workspace's secrets, newest first. */
    readonly list: (workspaceId: WorkspaceId, page: PageRequest) => Effect.Effect<Page<ToolSecret>>
    /** The workspace's secrets that have one of these patterns, with their values, in any order. One indexed read. */
    readonly withPatterns: (
      workspaceId: WorkspaceId,
      patterns: ReadonlyArray<HostPattern>
    ) => Effect.Effect<ReadonlyArray<SealedToolSecret>>
    /** Writes name, client, version and time of a change, and a new value where there is one; undefined leaves it. */
    readonly update: (secret: ToolSecret, sealed: string | undefined) => Effect.Effect<void, never, Transaction>
    /** Removes the secret with its value, and answers it as it was; undefined when the workspace has none with this id. */
    readonly remove: (
      workspaceId: WorkspaceId,
      id: ToolSecretId
    ) => Effect.Effect<ToolSecret | undefined, never, Transaction>
    /** Up to `limit` secrets of every tenant with ids behind `after`, ordered by id. */
    readonly everySecret: (
      after: ToolSecretId | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<SealedToolSecret>>
    /** Puts `resealed` in the place of a value that is still `value.sealed`; false when it is not. The value's position is the secret's id. */
    readonly replaceSealed: (value: SealedValue, resealed: string) => Effect.Effect<boolean, never, Transaction>
  }
>()("@agent-platform/keys/ToolSecretStore") {}
