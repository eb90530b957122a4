/**
 * Random chains of acts that begin with one bounded credential: no key and no person in the chain can do more than it.
 * Decision 0036.
 */
import { atomic, type OrganizationId, type WorkspaceId } from "@agent-platform/kernel"
import {
  type ApiKey,
  ApiKeyStore,
  type KeyGrantor,
  type KeyOwner,
  Keys,
  type Member,
  MemberStore,
  ORGANIZATION_SCOPES,
  type OrganizationRole,
  platformScopes,
  roleIn,
  type Scope,
  scopesOfKind,
  scopesOfRole,
  statusOf,
  Tenancy,
  TenancyStore,
  WORKSPACE_SCOPES
} from "@agent-platform/keys"
import { aUser, aWorkspace } from "@agent-platform/keys/testing"
import { assert, it } from "@effect/vitest"
import { Arbitrary, DateTime, Effect, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import { networksOutside } from "../src/AllowedIps.ts"
import { organizationRoleOf } from "../src/KeyGrant.ts"
import { aCreation, create, founded, memory } from "./support.ts"

const NOW = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")
const EVERYTHING = scopesOfKind("organization")
const index = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 }))
const place = Schema.Literals(["organization", "first", "second"])
const bounds = {
  scopes: Schema.Literals(["all", "reading", "admin", "few"]),
  hours: Schema.NullOr(Schema.Literals([1, 24, 100])),
  networks: Schema.Literals(["everywhere", "ten", "part", "version 4"])
}
const email = Schema.Literals([0, 1, 2])
const organizationRole = Schema.NullOr(Schema.Literals(["admin", "owner"]))
const workspaceRole = Schema.NullOr(Schema.Literals(["member", "viewer"]))

/** One act: `by` is a credential that came of the beginning, `on` any key, person or invitation there is. */
const Act = Schema.Union([
  Schema.Struct({ act: Schema.Literal("create"), by: index, place, isNamed: Schema.Boolean, ...bounds }),
  Schema.Struct({ act: Schema.Literal("rotate"), by: index, on: index, graceSeconds: Schema.Literals([0, 3_600]) }),
  Schema.Struct({ act: Schema.Literal("change"), by: index, on: index, ...bounds, enable: Schema.Boolean }),
  Schema.Struct({ act: Schema.Literal("invite"), by: index, email, organizationRole, workspaceRole }),
  Schema.Struct({ act: Schema.Literal("remove"), by: index, on: index }),
  Schema.Struct({ act: Schema.Literal("join"), on: index }),
  Schema.Struct({ act: Schema.Literal("wait"), minutes: Schema.Literals([1, 61, 1_500]) })
])
type Act = typeof Act.Type

const Beginning = Schema.Union([
  Schema.Struct({ is: Schema.Literal("key"), ...bounds, madeBy: Schema.Literals(["owner", "admin"]) }),
  Schema.Struct({ is: Schema.Literal("person"), role: Schema.Literals(["admin", "member", "viewer"]) })
])
type Beginning = typeof Beginning.Type

/** A credential: a key by its value, or a person by their sessions. */
type Credential = { readonly key: ApiKey } | { readonly member: Member; readonly userId: string }

interface World {
  readonly organizationId: OrganizationId
  readonly workspaces: readonly [WorkspaceId, WorkspaceId]
  /** Credentials that came of the first one. */
  readonly reached: Array<Credential>
  /** Keys whose values are not among them. */
  readonly others: Array<ApiKey>
  /** The addresses that the chain has invited. */
  readonly invited: Array<string>
}

const scopesNamed = (name: "all" | "reading" | "admin" | "few"): ReadonlyArray<Scope> => {
  switch (name) {
    case "all":
      return EVERYTHING
    case "reading":
      return [...WORKSPACE_SCOPES.filter((scope) => scope.endsWith(":read")), "org:admin", "keys:write"]
    case "admin":
      return [...WORKSPACE_SCOPES, "org:admin"]
    case "few":
      return ["runs:read", "keys:write", "org:admin"]
  }
}

const NETWORKS = { everywhere: [], ten: ["10.0.0.0/8"], part: ["10.1.0.0/16"], "version 4": ["0.0.0.0/0"] }

const emailOf = (number: number) => `person${number}@example.com`

const ownerAt = ({ organizationId, workspaces }: World, name: "organization" | "first" | "second"): KeyOwner => ({
  organizationId,
  workspaceId: name === "organization" ? null : name === "first" ? workspaces[0] : workspaces[1]
})

/** The powers of a credential. */
interface Power {
  readonly organizationRole: OrganizationRole | null
  readonly inOrganization: ReadonlyArray<Scope>
  readonly inWorkspaces: ReadonlyArray<ReadonlyArray<Scope>>
  /** Null for a person, which has neither. */
  readonly key: Pick<ApiKey, "expiresAt" | "allowedIps"> | null
}

const grantorOfKey = (key: ApiKey): KeyGrantor => ({
  actor: { type: "user", id: key.id, label: key.name },
  scopes: key.scopes,
  key,
  session: null,
  role: null
})

const powerOfKey = (key: ApiKey, { workspaces }: World): Power => ({
  organizationRole: organizationRoleOf(grantorOfKey(key)),
  inOrganization: key.workspaceId === null ? platformScopes(key.scopes) : [],
  inWorkspaces: workspaces.map((id) =>
    key.workspaceId === null || key.workspaceId === id ? platformScopes(key.scopes) : []
  ),
  key
})

const powerOfMember = (member: Member, { workspaces }: World): Power => {
  const own = member.organizationRole === null ? [] : scopesOfRole(member.organizationRole)
  return {
    organizationRole: member.organizationRole,
    inOrganization: own,
    inWorkspaces: workspaces.map((id) => {
      const role = roleIn(member, id)
      return role === undefined ? [] : scopesOfRole(role)
    }),
    key: null
  }
}

/** A credential as it is now; undefined for one that is not accepted any more. */
const current = Effect.fnUntraced(function* (credential: Credential, { organizationId }: World) {
  if ("member" in credential) {
    const member = yield* MemberStore.use((store) => store.find(organizationId, credential.member.id))
    return member?.user?.id === credential.userId ? { member, userId: credential.userId } : undefined
  }
  const store = yield* ApiKeyStore
  const key = yield* store.find(credential.key, credential.key.id)
  const status = key && statusOf(key, yield* DateTime.now)
  return key !== undefined && (status === "active" || status === "rotating") ? { key } : undefined
})

const covers = (more: ReadonlyArray<Scope>, less: ReadonlyArray<Scope>) => less.every((scope) => more.includes(scope))
const RANKS = { owner: 2, admin: 1, null: 0 }

/** The powers beyond those of `first`, in words; undefined for none. */
const beyond = (power: Power, first: Power): string | undefined => {
  if (RANKS[`${power.organizationRole}`] > RANKS[`${first.organizationRole}`])
    return `the role ${power.organizationRole}`
  // Owners and admins may give keys of webhooks, which their sessions do not have. Spec: Organization API keys 3.
  const inOrganization = first.organizationRole !== null ? EVERYTHING : first.inOrganization
  if (!covers(inOrganization, power.inOrganization)) return `in the organization ${power.inOrganization}`
  const missing = power.inWorkspaces.findIndex(
    (scopes, number) => !covers(first.organizationRole !== null ? EVERYTHING : first.inWorkspaces[number]!, scopes)
  )
  if (missing >= 0) return `in a workspace ${power.inWorkspaces[missing]}`
  if (first.key === null || power.key === null) return undefined
  const [end, last] = [power.key.expiresAt, first.key.expiresAt]
  if (last !== null && (end === null || DateTime.isGreaterThan(end, last))) return "a longer life"
  return networksOutside(first.key.allowedIps, power.key.allowedIps).length > 0 ? "more networks" : undefined
}

const begin = Effect.fnUntraced(function* (beginning: Beginning) {
  const { organization, whole, workspace } = yield* founded
  const second = aWorkspace({ organizationId: organization.id })
  yield* TenancyStore.use((store) => atomic(store.insertWorkspace(second)))
  const world: World = {
    organizationId: organization.id,
    workspaces: [workspace.id, second.id],
    reached: [],
    others: [],
    invited: []
  }
  const operator = aCreation(whole).creator
  const admin: KeyGrantor = { ...operator, scopes: scopesOfRole("admin"), role: "admin" }
  const bounded = { expiresAt: DateTime.add(NOW, { hours: 48 }), allowedIps: ["10.0.0.0/8"] }
  // Others, beside the first credential: keys of every strength, an owner and an admin.
  for (const [creator, override] of [
    [operator, {}],
    [operator, bounded],
    [operator, { scopes: ["runs:read", "org:admin"] }],
    [admin, {}]
  ] as const) {
    world.others.push((yield* create(whole, { creator, ...override })).key)
  }
  world.others.push((yield* create(ownerAt(world, "first"), { creator: operator })).key)
  const tenancy = yield* Tenancy
  const caller = { organizationId: organization.id, actor: operator.actor }
  const invite = (email: string, part: Pick<Member, "organizationRole" | "workspaces">) =>
    tenancy.inviteMember({ caller, by: operator, email, ...part, idempotency: undefined })
  yield* join(world, (yield* invite("owner@example.com", { organizationRole: "owner", workspaces: [] })).value, false)
  yield* join(world, (yield* invite(emailOf(0), { organizationRole: "admin", workspaces: [] })).value, false)

  if (beginning.is === "person") {
    const role = beginning.role
    const part =
      role === "admin"
        ? { organizationRole: role, workspaces: [] }
        : { organizationRole: null, workspaces: [{ workspaceId: workspace.id, role }] }
    const { value } = yield* invite("beginning@example.com", part)
    yield* join(world, value, true)
    return world
  }
  const { hours, madeBy, networks, scopes } = beginning
  // A key made by an admin, with no other bounds, is bounded by the admin's role.
  const isUnbounded = scopes === "all" && hours === null && networks === "everywhere"
  const { key } = yield* create(whole, {
    creator: isUnbounded || madeBy === "admin" ? admin : operator,
    scopes: scopesNamed(scopes),
    allowedIps: NETWORKS[networks],
    expiresAt: hours === null ? undefined : DateTime.add(NOW, { hours })
  })
  world.reached.push({ key })
  return world
})

/** Lets a new person take an invitation up; those who began have them in their hands where the invitation is theirs. */
const join = Effect.fnUntraced(function* (world: World, member: Pick<Member, "email">, isTheirs: boolean) {
  const store = yield* MemberStore
  const user = aUser({ email: member.email })
  const at = yield* DateTime.now
  const joined = yield* atomic(Effect.andThen(store.putUser(user), store.takeUp(member.email, user, at)))
  if (isTheirs) for (const one of joined) world.reached.push({ member: one, userId: user.id })
})

const grantorOf = (credential: Credential, where: WorkspaceId | null): KeyGrantor => {
  if ("key" in credential) return grantorOfKey(credential.key)
  const { member, userId } = credential
  const role = where === null ? member.organizationRole : (roleIn(member, where) ?? null)
  return {
    actor: { type: "user", id: userId, label: member.email },
    scopes: role === null ? [] : scopesOfRole(role),
    key: null,
    session: null,
    role: role ?? "viewer"
  }
}

/** Whether the HTTP interface would ask the use case: by the kind of credential, its reach and its scopes. */
const mayAsk = (credential: Credential, where: WorkspaceId | null): boolean => {
  const demanded = where === null ? "org:admin" : "keys:write"
  if (!grantorOf(credential, where).scopes.includes(demanded)) return false
  return "member" in credential || credential.key.workspaceId === null || credential.key.workspaceId === where
}

const notAsked = Effect.fail("not asked")

const perform = Effect.fnUntraced(function* (world: World, act: Act) {
  const [keys, tenancy] = [yield* Keys, yield* Tenancy]
  const { organizationId } = world
  if (act.act === "wait") return yield* TestClock.adjust(`${act.minutes} minutes`)
  if (act.act === "join") {
    const email = world.invited[act.on % Math.max(1, world.invited.length)]
    return email === undefined ? yield* notAsked : yield* join(world, { email }, true)
  }
  const by = yield* current(world.reached[act.by % world.reached.length]!, world)
  if (by === undefined) return yield* notAsked
  const now = yield* DateTime.now
  const known = world.reached.flatMap((one) => ("key" in one ? [one.key] : []))
  const anyKey = (number: number) => [...known, ...world.others][number % (known.length + world.others.length)]!
  switch (act.act) {
    case "create": {
      const owner = ownerAt(world, act.place)
      if (!mayAsk(by, owner.workspaceId)) return yield* notAsked
      const named = {
        scopes: scopesNamed(act.scopes).filter(
          (scope) => owner.workspaceId === null || !(ORGANIZATION_SCOPES as ReadonlyArray<Scope>).includes(scope)
        ),
        expiresAt: act.hours === null ? undefined : DateTime.add(now, { hours: act.hours }),
        allowedIps: NETWORKS[act.networks]
      }
      const creator = grantorOf(by, owner.workspaceId)
      const { value } = yield* keys.createApiKey(aCreation(owner, act.isNamed ? { ...named, creator } : { creator }))
      world.reached.push({ key: value.key })
      return
    }
    case "rotate": {
      const owner = anyKey(act.on)
      if (!mayAsk(by, owner.workspaceId)) return yield* notAsked
      const rotator = grantorOf(by, owner.workspaceId)
      const { graceSeconds } = act
      const { value } = yield* keys.rotateApiKey({ owner, id: owner.id, rotator, graceSeconds, idempotency: undefined })
      world.reached.push({ key: value.key })
      return
    }
    case "change": {
      const owner = anyKey(act.on)
      if (!mayAsk(by, owner.workspaceId)) return yield* notAsked
      const change = {
        scopes: scopesNamed(act.scopes).filter((scope) => scopesOfKind(owner.kind).includes(scope)),
        expiresAt: act.hours === null ? null : DateTime.add(now, { hours: act.hours }),
        allowedIps: NETWORKS[act.networks],
        disabled: !act.enable
      }
      const changer = grantorOf(by, owner.workspaceId)
      return yield* keys.updateApiKey({ owner, id: owner.id, change, changer, ifVersion: undefined })
    }
    case "invite": {
      if (!mayAsk(by, null)) return yield* notAsked
      const grantor = grantorOf(by, null)
      const workspaces =
        act.workspaceRole === null ? [] : [{ workspaceId: world.workspaces[0], role: act.workspaceRole }]
      const email = emailOf(act.email)
      yield* tenancy.inviteMember({
        caller: { organizationId, actor: grantor.actor },
        by: grantor,
        email,
        organizationRole: act.organizationRole,
        workspaces,
        idempotency: undefined
      })
      world.invited.push(email)
      return
    }
    case "remove": {
      if (!mayAsk(by, null)) return yield* notAsked
      const { items } = yield* tenancy.listMembers({
        caller: { organizationId },
        page: { limit: 50, before: undefined }
      })
      const member = items[act.on % Math.max(1, items.length)]
      if (member === undefined) return yield* notAsked
      const grantor = grantorOf(by, null)
      return yield* tenancy.removeMember({
        caller: { organizationId, actor: grantor.actor },
        by: grantor,
        id: member.id
      })
    }
  }
})

/** How often each act was done, over all chains: a test of acts that are always refused shows nothing. */
const done = new Map<Act["act"], number>()

const holds = Effect.fnUntraced(function* (beginning: Beginning, acts: ReadonlyArray<Act>) {
  yield* TestClock.setTime(NOW.epochMilliseconds)
  const world = yield* begin(beginning)
  const powerOf = (credential: Credential) =>
    "key" in credential ? powerOfKey(credential.key, world) : powerOfMember(credential.member, world)
  const first = powerOf(world.reached[0]!)
  for (const act of acts) {
    const { length } = world.reached
    const result = yield* Effect.result(perform(world, act))
    const isDone = act.act === "create" || act.act === "join" ? world.reached.length > length : Result.isSuccess(result)
    if (isDone) done.set(act.act, (done.get(act.act) ?? 0) + 1)
    for (const credential of world.reached) {
      const now = yield* current(credential, world)
      const more = now === undefined ? undefined : beyond(powerOf(now), first)
      if (more !== undefined) return yield* Effect.fail(`${act.act} gave ${more}`)
    }
  }
  return true
})

it.effect("nothing that comes of a bounded credential has a scope, a role, a life or a network that it lacks", () =>
  Effect.gen(function* () {
    const chains = Arbitrary.all({
      beginning: Arbitrary.schema(Beginning),
      acts: Arbitrary.array(Arbitrary.schema(Act), { minLength: 5, maxLength: 30 })
    })
    const everyAct = ["create", "rotate", "change", "invite", "remove", "join"] as const
    // Chance may leave an act out of a hundred chains, but not out of a thousand.
    for (let round = 0; round === 0 || (round < 6 && everyAct.some((act) => !done.has(act))); round++) {
      const result = yield* Arbitrary.checkEffect(
        chains,
        ({ acts, beginning }) => Effect.provide(holds(beginning, acts), memory),
        { runs: 150, size: 100 }
      )
      assert.isUndefined(Arbitrary.formatCheckFailure(result))
    }
    assert.containsAllKeys(done, everyAct)
  })
)
