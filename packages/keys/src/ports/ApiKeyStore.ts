import type { OrganizationId, Page, PageRequest, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { ApiKey, ApiKeyId } from "../ApiKey.ts"

/** Whose keys are meant: those of one workspace, or the organization's own. */
export interface KeyOwner {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId | null
}

/** That a key was used, and when. */
export interface KeyUsed {
  readonly organizationId: OrganizationId
  readonly id: ApiKeyId
  readonly at: DateTime.Utc
}

/** How far apart the times are that are kept of a key's use, in seconds. */
export const USE_APART_SECONDS = 60

/** Keys that expire after `now` and not after `until`, and were made for longer than `livedHours`. */
export interface ExpiryWindow {
  readonly now: DateTime.Utc
  readonly until: DateTime.Utc
  readonly livedHours: number
}

/** Keeps keys by the hash of their value. Held by `apiKeyStoreContract`. */
export class ApiKeyStore extends Context.Service<
  ApiKeyStore,
  {
    /**
     * How many keys of the owner can still be used at `now` or later: neither revoked nor expired; either temporary ones or all
     * others. Counts no further than `max`. Until the transaction ends nobody else counts these keys.
     */
    readonly holdLive: (
      owner: KeyOwner,
      which: "temporary" | "lasting",
      now: DateTime.Utc,
      max: number
    ) => Effect.Effect<number, never, Transaction>
    readonly insert: (key: ApiKey, hash: string) => Effect.Effect<void, never, Transaction>
    /**
     * The key with this hash, whatever its state, and whether `workspaceId` (if one is given) is a workspace of the
     * key's organization. One indexed read: it is made on every request.
     */
    readonly findByHash: (
      hash: string,
      workspaceId: WorkspaceId | undefined
    ) => Effect.Effect<{ readonly key: ApiKey; readonly workspaceFound: boolean } | undefined>
    /** The owner's key with this id; undefined for everybody else's. */
    readonly find: (owner: KeyOwner, id: ApiKeyId) => Effect.Effect<ApiKey | undefined>
    /** The organization's key with this id, of whatever owner. It is asked for on every request of a key that this one made. */
    readonly findMaker: (organizationId: OrganizationId, id: ApiKeyId) => Effect.Effect<ApiKey | undefined>
    /**
     * The organization's keys with these ids, of whatever owner. Until the transaction ends nobody else holds or changes them.
     * They are taken in the order of their ids, so that no two wait for each other in a circle.
     */
    readonly hold: (
      organizationId: OrganizationId,
      ids: ReadonlyArray<ApiKeyId>
    ) => Effect.Effect<ReadonlyArray<ApiKey>, never, Transaction>
    /** The owner's keys but those for browsers, newest first, revoked ones included. */
    readonly list: (owner: KeyOwner, page: PageRequest) => Effect.Effect<Page<ApiKey>>
    /**
     * Puts `key` in the place of its owner's key with this id, if that has the version before: of two who change the same
     * version, one does it, and the other is answered false. Neither the last use nor a revocation is written.
     */
    readonly replace: (key: ApiKey) => Effect.Effect<boolean, never, Transaction>
    /** Revokes the owner's key unless it is revoked already. Answers it as it then stands, and whether this was the first. */
    readonly revoke: (
      owner: KeyOwner,
      id: ApiKeyId,
      at: DateTime.Utc
    ) => Effect.Effect<{ readonly key: ApiKey; readonly first: boolean } | undefined, never, Transaction>
    /**
     * Revokes the descendants of a key in the organization, whatever their owners: at most `max`, the oldest first. Answers those
     * that it revoked; the others were revoked before and stay as they are. Temporary keys are none: they end with their maker.
     */
    readonly revokeDescendants: (
      organizationId: OrganizationId,
      id: ApiKeyId,
      at: DateTime.Utc,
      max: number
    ) => Effect.Effect<ReadonlyArray<ApiKey>, never, Transaction>
    /** How many keys the key has made, those have made, and so on, in whatever state; temporary ones do not count. */
    readonly countDescendants: (organizationId: OrganizationId, id: ApiKeyId) => Effect.Effect<number>
    /**
     * Notes when keys were last used, all of them together. A time is dropped when it is less than `USE_APART_SECONDS` after the
     * noted one, or when somebody else is just changing the key. Answers the keys with their first noted use in the hour, UTC: of
     * any number of callers in an hour, one gets a key.
     */
    readonly noteUses: (uses: ReadonlyArray<KeyUsed>) => Effect.Effect<ReadonlyArray<ApiKeyId>, never, Transaction>
    /**
     * Takes keys of all owners that expire within the window and are not revoked, disabled or being replaced: at most `max`, each
     * once for a time of expiry, and by one caller where several take at once. Nothing else of the keys is changed.
     */
    readonly takeExpiring: (
      window: ExpiryWindow,
      max: number
    ) => Effect.Effect<ReadonlyArray<ApiKey>, never, Transaction>
    /** Removes temporary keys that expired at `expiredBy` or earlier, at most `max`. Answers how many. */
    readonly pruneTemporary: (expiredBy: DateTime.Utc, max: number) => Effect.Effect<number, never, Transaction>
  }
>()("@agent-platform/keys/ApiKeyStore") {}
