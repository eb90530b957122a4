import type { OrganizationId, Page, PageRequest, Transaction, WorkspaceId } from "@agent-platform/kernel"
import { Context, type DateTime, Effect, Layer } from "effect"
import type { LoginAttempt, LoginSession, LoginSessionId } from "../LoginSession.ts"
import { roleIn, type User, type UserId } from "../Member.ts"
import type { OrganizationRole, Role, WorkspaceRole } from "../Role.ts"

/** A session, its person, and the person's present roles. */
export interface FoundSession {
  readonly session: LoginSession
  readonly user: User
  readonly organizationRole: OrganizationRole | null
  /** Whether the requested workspace is one of the session's organization. */
  readonly workspaceFound: boolean
  /** The person's own role in that workspace; null for none. */
  readonly workspaceRole: WorkspaceRole | null
}

/** The role of a session's person in the workspace if one is given, or else in the organization; null for none. */
export const roleOfFound = (
  { organizationRole, workspaceRole }: FoundSession,
  workspaceId: WorkspaceId | undefined
): Role | null => {
  if (workspaceId === undefined) return organizationRole
  const workspaces = workspaceRole === null ? [] : [{ workspaceId, role: workspaceRole }]
  return roleIn({ organizationRole, workspaces }, workspaceId) ?? null
}

/** Keeps logins under way and sessions by the hash of their secret. Tested by `loginStoreContract`. */
export class LoginStore extends Context.Service<
  LoginStore,
  {
    /**
     * How many attempts from the network have not expired at `now`, and when the first of them does. Until the transaction ends
     * every other caller for that network waits.
     */
    readonly holdAttempts: (
      clientNetwork: string,
      now: DateTime.Utc
    ) => Effect.Effect<{ readonly count: number; readonly firstExpiresAt: DateTime.Utc | null }, never, Transaction>
    readonly insertAttempt: (hash: string, attempt: LoginAttempt) => Effect.Effect<void, never, Transaction>
    /** Removes the attempt and returns it, expired or not. Of several callers at once, one gets it. */
    readonly takeAttempt: (hash: string) => Effect.Effect<LoginAttempt | undefined, never, Transaction>
    /** Inserts a session. Inserts nothing and returns false when its member has been removed meanwhile. */
    readonly insert: (session: LoginSession, hash: string) => Effect.Effect<boolean, never, Transaction>
    /**
     * The session with this hash, whatever its state, with the person, their present role in the organization, and their role in
     * `workspaceId`, if one is given. Undefined when the person is no member any more. Every request calls it, so it is one
     * indexed read.
     */
    readonly findByHash: (hash: string, workspaceId: WorkspaceId | undefined) => Effect.Effect<FoundSession | undefined>
    /** As `findByHash`, for the organization's session with this id. */
    readonly find: (
      organizationId: OrganizationId,
      id: LoginSessionId,
      workspaceId: WorkspaceId | undefined
    ) => Effect.Effect<FoundSession | undefined>
    /**
     * As `find`. Until the transaction ends nobody revokes the session, removes its member or gives the member other roles.
     * Others may hold it at the same time.
     */
    readonly hold: (
      organizationId: OrganizationId,
      id: LoginSessionId,
      workspaceId: WorkspaceId | undefined
    ) => Effect.Effect<FoundSession | undefined, never, Transaction>
    /** Notes that the session was used at `at`, unless a use since `unlessSince` is noted. */
    readonly noteUse: (
      id: LoginSessionId,
      at: DateTime.Utc,
      unlessSince: DateTime.Utc
    ) => Effect.Effect<void, never, Transaction>
    /** The person's sessions in every organization that are accepted at `now`, newest first. */
    readonly list: (userId: UserId, now: DateTime.Utc, page: PageRequest) => Effect.Effect<Page<LoginSession>>
    /**
     * Revokes the person's session unless it is revoked already. Returns the session afterwards, and whether this call revoked
     * it; undefined for another person's session.
     */
    readonly revoke: (
      userId: UserId,
      id: LoginSessionId,
      at: DateTime.Utc
    ) => Effect.Effect<{ readonly session: LoginSession; readonly changed: boolean } | undefined, never, Transaction>
    /** Removes up to `max` attempts and as many sessions whose `expiresAt` is not after `now`, and returns how many of each. */
    readonly prune: (
      now: DateTime.Utc,
      max: number
    ) => Effect.Effect<{ readonly attempts: number; readonly sessions: number }, never, Transaction>
  }
>()("@agent-platform/keys/LoginStore") {
  /** For hosts that have keys and no people: nobody is logged in, and nobody can log in. */
  static readonly layerNone: Layer.Layer<LoginStore> = Layer.sync(LoginStore, () => {
    const refused = Effect.die(new Error("Nobody can log in: LoginStore.layerNone keeps no logins"))
    return LoginStore.of({
      holdAttempts: () => Effect.succeed({ count: 0, firstExpiresAt: null }),
      insertAttempt: () => refused,
      takeAttempt: () => Effect.succeed(undefined),
      insert: () => refused,
      findByHash: () => Effect.succeed(undefined),
      find: () => Effect.succeed(undefined),
      hold: () => Effect.succeed(undefined),
      noteUse: () => Effect.void,
      list: () => Effect.succeed({ items: [], next: undefined }),
      revoke: () => Effect.succeed(undefined),
      prune: () => Effect.succeed({ attempts: 0, sessions: 0 })
    })
  })
}
