/** The requests of a person who is removed, narrowed or logged out after they were recognised. */
import { atomic, type UnitOfWork, type WorkspaceId } from "@agent-platform/kernel"
import { assert, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { scopesOfKind } from "../ApiKey.ts"
import type { KeyGrantor } from "../KeyGrant.ts"
import { Keys } from "../Keys.ts"
import type { Member } from "../Member.ts"
import type { ApiKeyStore } from "../ports/ApiKeyStore.ts"
import { LoginStore } from "../ports/LoginStore.ts"
import { MemberStore } from "../ports/MemberStore.ts"
import { scopesOfRole } from "../Role.ts"
import { Tenancy } from "../Tenancy.ts"
import { aHash, aMember, aUser } from "./builders.ts"
import { aLoginSession } from "./loginBuilders.ts"

/** The ports of the suite. */
export type HeldPersonsContractPorts = Keys | Tenancy | ApiKeyStore | LoginStore | MemberStore | UnitOfWork

const OPERATOR: KeyGrantor = {
  actor: { type: "system", id: "admin", label: "admin" },
  scopes: scopesOfKind("organization"),
  key: null,
  session: null,
  role: null
}

/** An owner with an open session, who was recognised just now, and acts of theirs in the organization, in a workspace, and to read. */
const recognised = Effect.gen(function* () {
  const [tenancy, members, logins, keys] = [yield* Tenancy, yield* MemberStore, yield* LoginStore, yield* Keys]
  const { organization, workspace } = yield* Effect.orDie(
    tenancy.foundOrganization({ name: "Acme", workspaceName: "Main", timezone: "UTC" })
  )
  const organizationId = organization.id
  const now = yield* DateTime.now
  const member = aMember({ organizationId, organizationRole: "owner" })
  const user = aUser({ email: member.email })
  const other = aMember({ organizationId, organizationRole: "admin" })
  yield* atomic(
    Effect.gen(function* () {
      yield* members.put(member)
      yield* members.put(other)
      yield* members.takeUp(member.email, yield* members.putUser(user), now)
    })
  )
  const session = aLoginSession({
    organizationId,
    memberId: member.id,
    userId: user.id,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: DateTime.add(now, { days: 1 })
  })
  yield* atomic(logins.insert(session, aHash()))
  const by: KeyGrantor = {
    actor: { type: "user", id: user.id, label: user.name },
    scopes: scopesOfRole("owner"),
    key: null,
    session: session.id,
    role: "owner"
  }
  const owner = { organizationId, workspaceId: workspace.id }
  const make = (creator: KeyGrantor, workspaceId: WorkspaceId | null) =>
    keys.createApiKey({
      owner: { organizationId, workspaceId },
      creator,
      name: "Key",
      scopes: ["runs:read"],
      expiresAt: undefined,
      allowedIps: undefined,
      rateLimit: null,
      metadata: {},
      idempotency: undefined
    })
  const key = (yield* Effect.orDie(make(OPERATOR, workspace.id))).value.key
  const caller = { organizationId, actor: by.actor }
  const invite = (email: string, organizationRole: Member["organizationRole"]) =>
    tenancy.inviteMember({ caller, by, email, organizationRole, workspaces: [], idempotency: undefined })
  const inOrganization = {
    "makes an organization key": make(by, null),
    "invites somebody": invite("eve@example.com", "admin"),
    "raises a member": invite(other.email, "owner"),
    "removes a member": tenancy.removeMember({ caller, by, id: other.id }),
    "makes a workspace": tenancy.createWorkspace({
      caller,
      by,
      name: "More",
      timezone: "UTC",
      monthlyCapUsd: null,
      allowPlatformKeys: false,
      idempotency: undefined
    }),
    "changes a workspace": tenancy.updateWorkspace({ caller, by, workspaceId: workspace.id, allowPlatformKeys: true })
  }
  const inWorkspace = {
    "makes a workspace key": make(by, workspace.id),
    "changes a key": keys.updateApiKey({
      owner,
      id: key.id,
      change: { scopes: ["runs:read", "runs:write"] },
      changer: by,
      ifVersion: undefined
    }),
    "rotates a key": keys.rotateApiKey({ owner, id: key.id, rotator: by, graceSeconds: 0, idempotency: undefined })
  }
  const temporary = { organizationId, creator: by, idempotency: undefined }
  const grant = {
    "makes a webhook grant": keys.createWebhookGrant({ ...temporary, until: session.expiresAt, seconds: 9 })
  }
  const reading = {
    "makes a browser key": keys.createBrowserKey({
      ...temporary,
      workspaceId: workspace.id,
      reads: { type: "run", id: session.id },
      seconds: 9
    })
  }
  return { member, session, workspace, inOrganization: { ...inOrganization, ...grant }, inWorkspace, reading, invite }
})

/** The outcome of each act: the tag of its failure, or `done`. */
const outcomes = (acts: Readonly<Record<string, Effect.Effect<unknown, { readonly _tag: string }>>>) =>
  Effect.forEach(Object.entries(acts), ([name, act]) =>
    Effect.match(act, { onFailure: ({ _tag }) => [name, _tag], onSuccess: () => [name, "done"] })
  )

const all = (acts: object, outcome: string) => Object.keys(acts).map((name) => [name, outcome])

/** Suite for `Keys` and `Tenancy` over the stores that they are built on. */
export const heldPersonsContract = (name: string, layer: Layer.Layer<HeldPersonsContractPorts, unknown>) =>
  suite(layer, { excludeTestServices: true })(`${name}: a person`, (it) => {
    it.effect("whose rights are as they were when they were recognised does all that these allow", () =>
      Effect.gen(function* () {
        const { inOrganization, inWorkspace, reading } = yield* recognised
        assert.deepStrictEqual(yield* outcomes(reading), all(reading, "done"))
        assert.deepStrictEqual(yield* outcomes(inWorkspace), all(inWorkspace, "done"))
        assert.deepStrictEqual(yield* outcomes(inOrganization), all(inOrganization, "done"))
      })
    )

    it.effect("who was removed since gives nothing", () =>
      Effect.gen(function* () {
        const { inOrganization, inWorkspace, member, reading } = yield* recognised
        yield* atomic((yield* MemberStore).remove(member.organizationId, member.id))
        const acts = { ...inOrganization, ...inWorkspace, ...reading }
        assert.deepStrictEqual(yield* outcomes(acts), all(acts, "CredentialRefused"))
      })
    )

    it.effect("whose session was ended since gives nothing with it", () =>
      Effect.gen(function* () {
        const { inOrganization, inWorkspace, reading, session } = yield* recognised
        yield* atomic((yield* LoginStore).revoke(session.userId, session.id, yield* DateTime.now))
        const acts = { ...inOrganization, ...inWorkspace, ...reading }
        assert.deepStrictEqual(yield* outcomes(acts), all(acts, "CredentialRefused"))
      })
    )

    it.effect("whose roles were changed since gives only what the new roles allow", () =>
      Effect.gen(function* () {
        const [members, viewing, lesser] = [yield* MemberStore, yield* recognised, yield* recognised]
        const workspaces = [{ workspaceId: viewing.workspace.id, role: "viewer" as const }]
        yield* atomic(members.put({ ...viewing.member, organizationRole: null, workspaces }))
        const acts = { ...viewing.inOrganization, ...viewing.inWorkspace }
        assert.deepStrictEqual(yield* outcomes(acts), all(acts, "ScopeLost"))
        assert.deepStrictEqual(yield* outcomes(viewing.reading), all(viewing.reading, "done"))
        yield* atomic(members.put({ ...lesser.member, organizationRole: "admin" }))
        const invitations = {
          owner: lesser.invite("ada@example.com", "owner"),
          admin: lesser.invite("bob@example.com", "admin")
        }
        assert.deepStrictEqual(yield* outcomes(invitations), [
          ["owner", "RoleNotGrantable"],
          ["admin", "done"]
        ])
      })
    )
  })
