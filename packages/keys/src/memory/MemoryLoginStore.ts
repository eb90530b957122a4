import type { WorkspaceId } from "@agent-platform/kernel"
import { layerMemory, newestFirst } from "@agent-platform/kernel/memory"
import { DateTime, Effect } from "effect"
import { type LoginAttempt, type LoginSession, type LoginSessionId, loginSessionStatusOf } from "../LoginSession.ts"
import { LoginStore } from "../ports/LoginStore.ts"
import type { Workspace } from "../Workspace.ts"
import { closures } from "./closures.ts"
import { memberKey, memberTables } from "./MemoryMemberStore.ts"

interface AttemptRow {
  readonly hash: string
  readonly attempt: LoginAttempt
}

interface SessionRow {
  readonly hash: string
  readonly session: LoginSession
}

const isOver = (expiresAt: DateTime.Utc, now: DateTime.Utc) => DateTime.isLessThanOrEqualTo(expiresAt, now)

/** Logins under way and sessions in the tables `login_attempt` and `login_session`. */
export const layerLoginStore = layerMemory(LoginStore)((database) => {
  const attempts = database.table<AttemptRow>("login_attempt")
  const sessions = database.table<SessionRow>("login_session")
  const workspaces = database.table<Workspace>("workspace")
  const closed = closures(database)
  const { members, userOf } = memberTables(database)
  const ofHash = sessions.by(({ hash }) => hash)
  const ofUser = sessions.by(({ session }) => session.userId)

  /** The row of the session's member; undefined once the person is no member any more. */
  const memberOf = ({ memberId, organizationId, userId }: LoginSession) =>
    Effect.map(members.get(memberKey(organizationId, memberId)), (row) => (row?.userId === userId ? row : undefined))

  const foundOf = Effect.fnUntraced(function* (session: LoginSession, workspaceId: WorkspaceId | undefined) {
    const row = yield* memberOf(session)
    const user = yield* userOf(session.userId)
    if (row === undefined || user === undefined || (yield* closed.isClosed(session.organizationId))) return undefined
    const workspace = workspaceId === undefined ? undefined : yield* workspaces.get(workspaceId)
    const grant = row.member.workspaces.find((one) => one.workspaceId === workspaceId)
    return {
      session,
      user,
      organizationRole: row.member.organizationRole,
      workspaceFound: workspace?.organizationId === session.organizationId && !(yield* closed.isClosed(workspace.id)),
      workspaceRole: grant?.role ?? null
    }
  })

  const find = Effect.fnUntraced(function* (
    organizationId: string,
    id: LoginSessionId,
    workspaceId: WorkspaceId | undefined
  ) {
    const session = (yield* sessions.get(id))?.session
    return session?.organizationId === organizationId ? yield* foundOf(session, workspaceId) : undefined
  })

  return {
    holdAttempts: (clientNetwork, now) =>
      Effect.map(attempts.all, (all) => {
        const open = all
          .map(({ attempt }) => attempt)
          .filter((attempt) => attempt.clientNetwork === clientNetwork && !isOver(attempt.expiresAt, now))
          .map(({ expiresAt }) => expiresAt)
          .sort(DateTime.Order)
        return { count: open.length, firstExpiresAt: open[0] ?? null }
      }),
    insertAttempt: (hash, attempt) => attempts.put(hash, { hash, attempt }),
    takeAttempt: Effect.fnUntraced(function* (hash) {
      const row = yield* attempts.get(hash)
      yield* attempts.remove(hash)
      return row?.attempt
    }),
    insert: Effect.fnUntraced(function* (session, hash) {
      if ((yield* memberOf(session)) === undefined) return false
      yield* sessions.put(session.id, { hash, session })
      return true
    }),
    findByHash: Effect.fnUntraced(function* (hash, workspaceId) {
      const [row] = yield* ofHash(hash)
      return row && (yield* foundOf(row.session, workspaceId))
    }),
    find,
    // Transactions over memory run one after another, so nothing has to be locked.
    hold: find,
    noteUse: Effect.fnUntraced(function* (id, at, unlessSince) {
      const row = yield* sessions.get(id)
      if (row === undefined || DateTime.isGreaterThan(row.session.lastSeenAt, unlessSince)) return
      yield* sessions.put(id, { ...row, session: { ...row.session, lastSeenAt: at } })
    }),
    list: Effect.fnUntraced(function* (userId, now, page) {
      const mine = (yield* ofUser(userId))
        .map(({ session }) => session)
        .filter((session) => loginSessionStatusOf(session, now) === "active")
      const open = yield* Effect.filter(mine, (session) => Effect.map(memberOf(session), (row) => row !== undefined))
      return newestFirst(open, page)
    }),
    revoke: Effect.fnUntraced(function* (userId, id, at) {
      const row = yield* sessions.get(id)
      if (row === undefined || row.session.userId !== userId) return undefined
      if ((yield* memberOf(row.session)) === undefined) return undefined
      if (row.session.revokedAt !== null) return { session: row.session, changed: false }
      const session: LoginSession = { ...row.session, revokedAt: at }
      yield* sessions.put(id, { ...row, session })
      return { session, changed: true }
    }),
    prune: Effect.fnUntraced(function* (now, max) {
      const oldAttempts = (yield* attempts.all).filter((row) => isOver(row.attempt.expiresAt, now)).slice(0, max)
      const oldSessions = (yield* sessions.all).filter((row) => isOver(row.session.expiresAt, now)).slice(0, max)
      yield* Effect.forEach(oldAttempts, (row) => attempts.remove(row.hash), { discard: true })
      yield* Effect.forEach(oldSessions, (row) => sessions.remove(row.session.id), { discard: true })
      return { attempts: oldAttempts.length, sessions: oldSessions.length }
    })
  }
})
