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
  /** The new value, sealed, which replaces the old one; undefined leaves it. A revoked key has none, whatever this says. */
  readonly sealed?: string | undefined
}

/** A change that was made: the key as it was and as it is. The same twice when there was nothing to change. */
export interface ProviderKeyChanges {
  readonly before: ProviderKey
  readonly after: ProviderKey
}

/** Keeps provider keys. Held by `providerKeyStoreContract`. */
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
    /** The same with its value; undefined when it is revoked. */
    readonly findSealed: (workspaceId: WorkspaceId, id: ProviderKeyId) => Effect.Effect<SealedProviderKey | undefined>
    /** The workspace's keys, newest first, revoked ones included. */
    readonly list: (workspaceId: WorkspaceId, page: PageRequest) => Effect.Effect<Page<ProviderKey>>
    /** The workspace's keys for a provider that are not revoked, by priority and then the oldest first. One indexed read. */
    readonly ofProvider: (
      workspaceId: WorkspaceId,
      provider: Provider
    ) => Effect.Effect<ReadonlyArray<SealedProviderKey>>
    /**
     * Changes a key. `change` sees it while nobody else can alter it and answers undefined to leave it. Of id, tenant,
     * provider, base URL, creation and last use nothing changes. With the change that revokes a key its value is
     * erased. Undefined when the workspace has no such key.
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
    /** Up to `limit` keys of every tenant that are not revoked, with ids behind `after`, ordered by id. */
    readonly everyKey: (
      after: ProviderKeyId | undefined,
      limit: number
    ) => Effect.Effect<ReadonlyArray<SealedProviderKey>>
    /** Puts `resealed` in the place of a value that is still `value.sealed`; false when it is not. Its position is the key's id. */
    readonly replaceSealed: (value: SealedValue, resealed: string) => Effect.Effect<boolean, never, Transaction>
  }
>()("@agent-platform/keys/ProviderKeyStore") {}
