import type { OrganizationId, Page, PageRequest, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, type Effect } from "effect"
import type { ApiKey, ApiKeyId } from "../ApiKey.ts"

/** Whose keys are meant: those of one workspace, or the organization's own. */
export interface KeyOwner {
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId | null
}

/** Keeps keys by the hash of their value. Held by `apiKeyStoreContract`. */
export class ApiKeyStore extends Context.Service<
  ApiKeyStore,
  {
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
    /** The owner's keys, newest first, revoked ones included. */
    readonly list: (owner: KeyOwner, page: PageRequest) => Effect.Effect<Page<ApiKey>>
    /** Revokes the owner's key unless it is revoked already, and answers it as it then stands. */
    readonly revoke: (
      owner: KeyOwner,
      id: ApiKeyId,
      at: DateTime.Utc
    ) => Effect.Effect<ApiKey | undefined, never, Transaction>
  }
>()("@agent-platform/keys/ApiKeyStore") {}
