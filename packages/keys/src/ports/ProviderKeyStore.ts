import type { Page, PageRequest, SealedValue, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { Provider, ProviderKey, ProviderKeyId } from "../ProviderKey.ts"

/** A key with its value, sealed for `providerKeyPlace(key)`. */
export interface SealedProviderKey {
  readonly key: ProviderKey
  readonly sealed: string
}

/** The change of a key. */
export interface ProviderKeyChange {
  readonly key: ProviderKey
  /** The new sealed value; undefined leaves the old one. A key that is revoked loses its value whatever this says. */
  readonly sealed?: string | undefined
}

/** The key before and after a change. Both are the same when there was nothing to change. */
export interface ProviderKeyChanges {
  readonly before: ProviderKey
  readonly after: ProviderKey
}

/** Keeps provider keys. Tested by `providerKeyStoreContract`. */
export class ProviderKeyStore extends Context.Service<
  ProviderKeyStore,
  {
    /**
     * How many keys of the workspace are not revoked. Until the transaction ends every other caller for that workspace waits.
     */
    readonly holdKeys: (workspaceId: WorkspaceId) => Effect.Effect<number, never, Transaction>
    readonly insert: (key: ProviderKey, sealed: string) => Effect.Effect<void, never, Transaction>
    /** The workspace's key with this id. */
    readonly find: (workspaceId: WorkspaceId, id: ProviderKeyId) => Effect.Effect<ProviderKey | undefined>
    /** The workspace's key with this id and its sealed value; undefined when it is revoked. */
    readonly findSealed: (workspaceId: WorkspaceId, id: ProviderKeyId) => Effect.Effect<SealedProviderKey | undefined>
    /** The workspace's keys, newest first, revoked ones included. */
    readonly list: (workspaceId: WorkspaceId, page: PageRequest) => Effect.Effect<Page<ProviderKey>>
    /** The workspace's keys for a provider that are not revoked, by priority and then the oldest first. One indexed read. */
    readonly ofProvider: (
      workspaceId: WorkspaceId,
      provider: Provider
    ) => Effect.Effect<ReadonlyArray<SealedProviderKey>>
    /**
     * Changes a key. `change` sees it while nobody else can alter it, and returns undefined to leave it. Id, tenant, provider,
     * base URL, creation and last use are never changed. The change that revokes a key also erases its value. Undefined when the
     * workspace has no such key.
     */
    readonly update: (
      workspaceId: WorkspaceId,
      id: ProviderKeyId,
      change: (key: ProviderKey) => ProviderKeyChange | undefined
    ) => Effect.Effect<ProviderKeyChanges | undefined, never, Transaction>
    /** Notes when keys were last used, unless a later time, or one less than a minute earlier, is noted already. */
    readonly markUsed: (
      uses: ReadonlyArray<{ readonly id: ProviderKeyId; readonly at: DateTime.Utc }>
    ) => Effect.Effect<void, never, Transaction>
    /** Up to `limit` keys of every tenant that are not revoked, with ids after `after`, ordered by id. */
    readonly everyKey: (
      after: ProviderKeyId | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<SealedProviderKey>>
    /** Replaces a value that is still `value.sealed` by `resealed`; false when it has changed. Its position is the key's id. */
    readonly replaceSealed: (value: SealedValue, resealed: string) => Effect.Effect<boolean, never, Transaction>
  }
>()("@agent-platform/keys/ProviderKeyStore") {}
