import type { OrganizationId, Page, PageRequest, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { ApiKey, ApiKeyId } from "../ApiKey.ts"

/** The owner of keys: one workspace, or the organization itself. */
export interface KeyOwner {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId | null
}

/** A use of a key: when a request came with it. */
export interface KeyUsed {
  readonly organizationId: OrganizationId
  readonly id: ApiKeyId
  readonly at: DateTime.Utc
}

/** The shortest time between two noted uses of a key, in seconds. */
export const USE_APART_SECONDS = 60

/** Selects keys that expire after `now` and not after `until`, and whose lifetime, from creation to expiry, is over `lifetimeHours`. */
export interface ExpiryWindow {
  readonly now: DateTime.Utc
  readonly until: DateTime.Utc
  readonly lifetimeHours: number
}

/**
 * Keeps keys by the hash of their value. A key is either lasting or temporary. A lasting key (`boundTo` is null) stands for itself: until
 * it expires, if ever, or is revoked, whatever becomes of its maker. A temporary one (`boundTo` names its maker, a key or a login
 * session) always expires, and is accepted only while its maker is. Keys for browsers (`reads` is not null) are the temporary ones that
 * read a single run or session; the others are grants for webhooks. Tested by `apiKeyStoreContract`.
 */
export class ApiKeyStore extends Context.Service<
  ApiKeyStore,
  {
    /**
     * How many keys of the owner are neither revoked nor expired at `now`, of the temporary or of the lasting ones. Counts no
     * further than `max`. Until the transaction ends nobody else counts these keys, so that two who create one cannot both take
     * the last place below a limit.
     */
    readonly holdCount: (
      owner: KeyOwner,
      which: "temporary" | "lasting",
      now: DateTime.Utc,
      max: number
    ) => Effect.Effect<number, never, Transaction>
    readonly insert: (key: ApiKey, hash: string) => Effect.Effect<void, never, Transaction>
    /**
     * The key with this hash, whatever its state, and whether `workspaceId` (if one is given) is a workspace of the key's
     * organization. Every request calls it, so it is one indexed read.
     */
    readonly findByHash: (
      hash: string,
      workspaceId: WorkspaceId | undefined
    ) => Effect.Effect<{ readonly key: ApiKey; readonly workspaceFound: boolean } | undefined>
    /** The owner's key with this id; undefined for everybody else's. */
    readonly find: (owner: KeyOwner, id: ApiKeyId) => Effect.Effect<ApiKey | undefined>
    /**
     * The organization's key with this id, of whatever owner. Called with the maker of a temporary key for every request with that
     * key, so it is one indexed read.
     */
    readonly findMaker: (organizationId: OrganizationId, id: ApiKeyId) => Effect.Effect<ApiKey | undefined>
    /**
     * The organization's keys with these ids, of whatever owner. Until the transaction ends nobody else holds or changes them.
     * They are locked in the order of their ids, so that no two callers wait for each other.
     */
    readonly hold: (
      organizationId: OrganizationId,
      ids: ReadonlyArray<ApiKeyId>
    ) => Effect.Effect<ReadonlyArray<ApiKey>, never, Transaction>
    /** The owner's keys except those for browsers, newest first, revoked ones included. */
    readonly list: (owner: KeyOwner, page: PageRequest) => Effect.Effect<Page<ApiKey>>
    /**
     * Replaces its owner's key with this id by `key`, if the stored version is the one before. Of two callers that change the same
     * version, one succeeds and the other gets false. Neither the last use nor a revocation is written.
     */
    readonly replace: (key: ApiKey) => Effect.Effect<boolean, never, Transaction>
    /** Revokes the owner's key unless it is revoked already. Returns the key afterwards, and whether this call revoked it. */
    readonly revoke: (
      owner: KeyOwner,
      id: ApiKeyId,
      at: DateTime.Utc
    ) => Effect.Effect<{ readonly key: ApiKey; readonly isFirst: boolean } | undefined, never, Transaction>
    /**
     * Revokes the descendants of a key in the organization, whatever their owners: at most `max`, the oldest first. Returns the
     * keys that it revoked; keys revoked before stay as they are. Temporary keys do not count, since they end with their maker.
     */
    readonly revokeDescendants: (
      organizationId: OrganizationId,
      id: ApiKeyId,
      at: DateTime.Utc,
      max: number
    ) => Effect.Effect<ReadonlyArray<ApiKey>, never, Transaction>
    /** How many keys the key has made, these have made, and so on, in whatever state. Temporary keys do not count. */
    readonly countDescendants: (organizationId: OrganizationId, id: ApiKeyId) => Effect.Effect<number>
    /**
     * Notes when keys were last used. A time is dropped when it is less than `USE_APART_SECONDS` after the noted one, or when
     * somebody else is changing the key. Returns the keys whose use is the first that was noted in its hour (UTC), so that an
     * organization key in use is reported in the activity once an hour: of all processes that note uses, one gets it returned.
     */
    readonly noteUses: (uses: ReadonlyArray<KeyUsed>) => Effect.Effect<ReadonlyArray<ApiKeyId>, never, Transaction>
    /**
     * Returns at most `max` lasting keys of all owners that expire within the window and are not revoked, disabled or being replaced.
     * Each is returned once for a time of expiry, to one of the callers. The keys themselves are not changed.
     */
    readonly takeExpiring: (
      window: ExpiryWindow,
      max: number
    ) => Effect.Effect<ReadonlyArray<ApiKey>, never, Transaction>
    /** Removes at most `max` temporary keys that expired at `expiredBy` or earlier, and returns how many it removed. */
    readonly pruneTemporary: (expiredBy: DateTime.Utc, max: number) => Effect.Effect<number, never, Transaction>
  }
>()("@agent-platform/keys/ApiKeyStore") {}
