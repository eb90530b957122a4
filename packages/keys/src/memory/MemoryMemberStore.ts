import type { OrganizationId } from "@agent-platform/kernel"
import { layerMemory, type MemoryDatabase, newestFirst } from "@agent-platform/kernel/memory"
import { Effect, Struct } from "effect"
import type { ApiKey, ApiKeyId, ApiKeyState } from "../ApiKey.ts"
import { type Member, type MemberId, memberStatusOf, type User, type UserId } from "../Member.ts"
import { MemberStore } from "../ports/MemberStore.ts"

export interface MemberRow {
  readonly member: Omit<Member, "user" | "invitedByKey">
  readonly invitedByKeyId: ApiKeyId | null
  readonly userId: UserId | null
}

const stateOf = (key: ApiKey): ApiKeyState =>
  Struct.pick(key, ["disabled", "expiresAt", "id", "replacedBy", "revokedAt"])

/** The key of a membership in its table. */
export const memberKey = (organizationId: OrganizationId, id: MemberId) => `${organizationId} ${id}`
/** The key of a person in its table. */
export const userKey = ({ issuer, subject }: Pick<User, "issuer" | "subject">) => JSON.stringify([issuer, subject])

/** The tables of people and memberships, and people by their id. */
export const memberTables = (database: MemoryDatabase["Service"]) => {
  const users = database.table<User>("app_user")
  const ofId = users.by(({ id }) => id)
  return {
    members: database.table<MemberRow>("member"),
    users,
    userOf: (id: UserId) => Effect.map(ofId(id), ([user]) => user)
  }
}

/** People and memberships in the tables `app_user` and `member`. */
export const layerMemberStore = layerMemory(MemberStore)((database) => {
  const { members, userOf, users } = memberTables(database)
  const ofOrganization = members.by(({ member }) => member.organizationId)
  const ofEmail = members.by(({ member }) => member.email)
  const ofUser = members.by(({ userId }) => userId ?? "")
  const keys = database.table<{ readonly key: ApiKey }>("api_key")

  const memberOf = Effect.fnUntraced(function* ({ invitedByKeyId, member, userId }: MemberRow) {
    const user = userId === null ? undefined : yield* userOf(userId)
    const key = invitedByKeyId === null ? undefined : (yield* keys.get(invitedByKeyId))?.key
    const found: Member = {
      ...member,
      user: user === undefined ? null : { id: user.id, name: user.name },
      invitedByKey: key === undefined ? null : stateOf(key)
    }
    return found
  })
  const toMembers = (rows: ReadonlyArray<MemberRow>) => Effect.forEach(rows, memberOf)
  const toMember = (row: MemberRow | undefined) => (row === undefined ? Effect.undefined : memberOf(row))
  const putRow = (row: MemberRow) => members.put(memberKey(row.member.organizationId, row.member.id), row)

  return {
    // Transactions over memory run one after another, so nothing has to be locked.
    hold: () => Effect.void,
    put: Effect.fnUntraced(function* ({ invitedByKey, user, ...member }) {
      const kept = yield* members.get(memberKey(member.organizationId, member.id))
      const sorted = [...member.workspaces].sort((a, b) => (a.workspaceId < b.workspaceId ? -1 : 1))
      yield* putRow({
        member: {
          ...member,
          workspaces: sorted,
          joinedAt: kept === undefined ? member.joinedAt : kept.member.joinedAt
        },
        invitedByKeyId: invitedByKey?.id ?? null,
        userId: kept === undefined ? (user?.id ?? null) : kept.userId
      })
    }),
    find: (organizationId, id) => Effect.flatMap(members.get(memberKey(organizationId, id)), toMember),
    findByEmail: (organizationId, email) =>
      Effect.flatMap(ofEmail(email), (rows) =>
        toMember(rows.find(({ member }) => member.organizationId === organizationId))
      ),
    list: Effect.fnUntraced(function* (organizationId, page) {
      const rows = yield* ofOrganization(organizationId)
      return newestFirst(yield* toMembers(rows), page)
    }),
    count: (organizationId, max) => Effect.map(ofOrganization(organizationId), (rows) => Math.min(rows.length, max)),
    countOwners: (organizationId) =>
      Effect.map(
        ofOrganization(organizationId),
        (rows) => rows.filter(({ member, userId }) => member.organizationRole === "owner" && userId !== null).length
      ),
    remove: Effect.fnUntraced(function* (organizationId, id) {
      const key = memberKey(organizationId, id)
      const found = (yield* members.get(key)) !== undefined
      yield* members.remove(key)
      return found
    }),
    findUser: (issuer, subject) => users.get(userKey({ issuer, subject })),
    putUser: Effect.fnUntraced(function* (user) {
      const kept = yield* users.get(userKey(user))
      const row = kept === undefined ? user : { ...kept, email: user.email, name: user.name }
      yield* users.put(userKey(user), row)
      return row
    }),
    takeUp: Effect.fnUntraced(function* (email, user, at) {
      const mine = yield* ofUser(user.id)
      const open = (yield* ofEmail(email)).filter(
        ({ member, userId }) =>
          userId === null && !mine.some((joined) => joined.member.organizationId === member.organizationId)
      )
      const acceptable = new Set(
        (yield* toMembers(open)).filter((one) => memberStatusOf(one, at) === "invited").map(({ id }) => id)
      )
      const joined = open
        .filter(({ member }) => acceptable.has(member.id))
        .map((row): MemberRow => ({ ...row, member: { ...row.member, joinedAt: at }, userId: user.id }))
        .sort((a, b) => (a.member.id < b.member.id ? -1 : 1))
      yield* Effect.forEach(joined, putRow, { discard: true })
      return yield* toMembers(joined)
    }),
    membershipsOf: (userId) =>
      Effect.flatMap(ofUser(userId), (rows) => Effect.map(toMembers(rows), (joined) => joined.sort(byJoining)))
  }
})

const byJoining = (a: Member, b: Member): number =>
  (a.joinedAt?.epochMilliseconds ?? 0) - (b.joinedAt?.epochMilliseconds ?? 0) || (a.id < b.id ? -1 : 1)
