/** Tests that temporary keys can do no more than the credential that made them, and end with it. */
import { atomic, type UnitOfWork } from "@agent-platform/kernel"
import { anId } from "@agent-platform/kernel/testing"
import { assert, layer as suite } from "@effect/vitest"
import { DateTime, Effect, type Layer, type Redacted } from "effect"
import { type ApiKey, ApiKeyId } from "../ApiKey.ts"
import type { KeyGrantor } from "../KeyGrant.ts"
import { Keys } from "../Keys.ts"
import type { LoginSession } from "../LoginSession.ts"
import type { Member } from "../Member.ts"
import { ApiKeyStore } from "../ports/ApiKeyStore.ts"
import { LoginStore } from "../ports/LoginStore.ts"
import { MemberStore } from "../ports/MemberStore.ts"
import { scopesOfRole } from "../Role.ts"
import { Tenancy } from "../Tenancy.ts"
import { pruneTemporaryKeys } from "../use-cases/api-keys/pruneTemporaryKeys.ts"
import { aHash, aMember, anApiKey, aUser } from "./builders.ts"
import { aLoginSession } from "./loginBuilders.ts"

/** The ports of the suite. */
export type TemporaryKeysContractPorts = Keys | Tenancy | ApiKeyStore | LoginStore | MemberStore | UnitOfWork

const actor = { type: "user", id: "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a77", label: "Ada" } as const
const ADDRESS = "203.0.113.7"
const reads = { type: "run", id: "0199f2a4-6b1e-7c55-9a31-5d1c0f1e2a78" } as const

const founded = Effect.gen(function* () {
  const { organization, workspace } = yield* Tenancy.use((tenancy) =>
    Effect.orDie(tenancy.foundOrganization({ name: "Acme", workspaceName: "Main", timezone: "UTC" }))
  )
  return { organizationId: organization.id, workspaceId: workspace.id }
})

/** Makes a key of a workspace, with functions by which it makes browser keys. */
const aMaker = Effect.fnUntraced(function* (override: Partial<ApiKey> = {}) {
  const [store, keys, owner] = [yield* ApiKeyStore, yield* Keys, yield* founded]
  const key = anApiKey({ ...owner, scopes: ["runs:read", "keys:read"], ...override })
  yield* atomic(store.insert(key, aHash()))
  const creator: KeyGrantor = { actor, scopes: key.scopes, key, session: null, role: null }
  const make = keys.createBrowserKey({ ...owner, creator, reads, seconds: 900, idempotency: undefined })
  const change = (changed: Partial<ApiKey>) =>
    atomic(store.replace({ ...key, ...changed, version: key.version + 1 })).pipe(Effect.map(assert.isTrue))
  return { owner, key, make, change }
})

/** Makes a member with a session, with functions by which the member makes browser keys and grants. */
const aPerson = Effect.fnUntraced(function* (
  part: Pick<Member, "organizationRole"> & { readonly role?: "member" | "viewer" },
  override: Partial<LoginSession> = {}
) {
  const [members, logins, keys, owner] = [yield* MemberStore, yield* LoginStore, yield* Keys, yield* founded]
  const { organizationId, workspaceId } = owner
  const workspaces = part.role === undefined ? [] : [{ workspaceId, role: part.role }]
  const member = aMember({ organizationId, organizationRole: part.organizationRole, workspaces })
  const user = aUser({ email: member.email })
  const now = yield* DateTime.now
  const session = aLoginSession({
    organizationId,
    memberId: member.id,
    userId: user.id,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: DateTime.add(now, { days: 30 }),
    ...override
  })
  yield* atomic(
    Effect.gen(function* () {
      yield* members.put(member)
      yield* members.takeUp(member.email, yield* members.putUser(user), now)
      yield* logins.insert(session, aHash())
    })
  )
  const role = part.organizationRole ?? part.role ?? "viewer"
  const creator: KeyGrantor = { actor, scopes: scopesOfRole(role), key: null, session: session.id, role }
  const until = session.expiresAt
  return {
    owner,
    member,
    session,
    browserKey: keys.createBrowserKey({ ...owner, creator, reads, seconds: 900, idempotency: undefined }),
    grant: keys.createWebhookGrant({ organizationId, creator, until, seconds: 43_200, idempotency: undefined })
  }
})

type Made = Effect.Success<ReturnType<Keys["Service"]["createBrowserKey"]>>

/** Authenticates with the value, and returns the outcome. */
const ask = ({ value: { value } }: Made, clientAddress: string | undefined = ADDRESS) =>
  Keys.use((keys) =>
    Effect.match(keys.authenticate({ credential: value as Redacted.Redacted, workspaceId: undefined, clientAddress }), {
      onFailure: (error) => ("reason" in error ? error.reason : error._tag),
      onSuccess: () => "accepted"
    })
  )

const revokeSession = ({ session }: { readonly session: LoginSession }) =>
  Effect.gen(function* () {
    yield* atomic((yield* LoginStore).revoke(session.userId, session.id, yield* DateTime.now))
  })

/** Suite for `Keys` over the stores that it is built on. */
export const temporaryKeysContract = (name: string, layer: Layer.Layer<TemporaryKeysContractPorts, unknown>) =>
  suite(layer, { excludeTestServices: true })(`${name}: a temporary key`, (it) => {
    it.effect("ends on the next request once the key that made it is refused or lacks the scope", () =>
      Effect.gen(function* () {
        const store = yield* ApiKeyStore
        const now = yield* DateTime.now
        const ends = [
          ["revoked", ({ key }) => atomic(store.revoke(key, key.id, now))],
          ["disabled", ({ change }) => change({ disabled: true })],
          ["expired", ({ change }) => change({ expiresAt: now })],
          ["revoked", ({ change }) => change({ scopes: ["keys:read"] })]
        ] satisfies ReadonlyArray<
          [string, (maker: Effect.Success<ReturnType<typeof aMaker>>) => Effect.Effect<unknown, never, UnitOfWork>]
        >
        for (const [reason, end] of ends) {
          const maker = yield* aMaker()
          const made = yield* maker.make
          assert.strictEqual(yield* ask(made), "accepted")
          yield* end(maker)
          assert.strictEqual(yield* ask(made), reason)
        }
      })
    )

    it.effect("goes on for the grace of a key that is rotated, and expires with it", () =>
      Effect.gen(function* () {
        const keys = yield* Keys
        for (const [graceSeconds, outcome] of [
          [60, "accepted"],
          [0, "expired"]
        ] as const) {
          const { key, make, owner } = yield* aMaker()
          const made = yield* make
          const rotator: KeyGrantor = { actor, scopes: key.scopes, key: null, session: null, role: null }
          yield* keys.rotateApiKey({ owner, id: key.id, rotator, graceSeconds, idempotency: undefined })
          assert.strictEqual(yield* ask(made), outcome)
        }
        const expiresAt = DateTime.add(yield* DateTime.now, { seconds: 30 })
        const { make } = yield* aMaker({ expiresAt })
        assert.deepStrictEqual((yield* make).value.key.expiresAt, expiresAt)
      })
    )

    it.effect("is accepted from the present networks of the key that made it", () =>
      Effect.gen(function* () {
        const { change, make } = yield* aMaker({ allowedIps: ["203.0.113.0/24"] })
        const made = yield* make
        assert.deepStrictEqual(made.value.key.allowedIps, ["203.0.113.0/24"])
        assert.strictEqual(yield* ask(made, "198.51.100.7"), "AddressNotAllowed")
        assert.strictEqual(yield* ask(made, ""), "AddressNotAllowed")
        assert.strictEqual(yield* ask(made), "accepted")
        yield* change({ allowedIps: ["198.51.100.0/24"] })
        assert.strictEqual(yield* ask(made), "AddressNotAllowed")
        assert.strictEqual(yield* ask(made, "198.51.100.7"), "accepted")
      })
    )

    it.effect("ends on the next request once the session that made it does, or the membership", () =>
      Effect.gen(function* () {
        const members = yield* MemberStore
        const remove = ({ member }: { readonly member: Member }) =>
          atomic(members.remove(member.organizationId, member.id))
        for (const end of [revokeSession, remove]) {
          const owner = yield* aPerson({ organizationRole: "owner" })
          const viewer = yield* aPerson({ organizationRole: null, role: "viewer" })
          const [grant, ...pages] = [yield* owner.grant, yield* owner.browserKey, yield* viewer.browserKey]
          for (const made of [grant, ...pages]) assert.strictEqual(yield* ask(made), "accepted")
          for (const person of [owner, viewer]) yield* end(person)
          for (const made of [grant, ...pages]) assert.strictEqual(yield* ask(made), "revoked")
        }
      })
    )

    it.effect("ends with a session that nobody uses, or that is too old", () =>
      Effect.gen(function* () {
        const [logins, now] = [yield* LoginStore, yield* DateTime.now]
        const outcomes = []
        for (const [lastSeenAt, expiresAt] of [
          [DateTime.subtract(now, { days: 7 }), DateTime.add(now, { days: 9 })],
          [now, now]
        ] as const) {
          const { grant, member, session } = yield* aPerson({ organizationRole: "owner" })
          const { key } = (yield* grant).value
          const over = { ...session, id: anId(ApiKeyId) as never, lastSeenAt, expiresAt }
          yield* atomic(logins.insert(over, aHash()))
          const store = yield* ApiKeyStore
          const [made, hash] = [
            { ...key, id: anId(ApiKeyId), boundTo: { type: "session" as const, id: over.id } },
            aHash()
          ]
          yield* atomic(store.insert(made, hash))
          const listed = yield* Keys.use((keys) =>
            keys.listApiKeys({
              owner: { organizationId: member.organizationId, workspaceId: null },
              page: { limit: 9, before: undefined }
            })
          )
          outcomes.push(listed.items.map(({ status }) => status).sort())
        }
        assert.deepStrictEqual(outcomes, [
          ["active", "expired"],
          ["active", "expired"]
        ])
      })
    )

    it.effect("ends when its maker loses the role that gives it, and not when another such role replaces it", () =>
      Effect.gen(function* () {
        const members = yield* MemberStore
        const { browserKey, grant, member, owner } = yield* aPerson({ organizationRole: "owner" })
        const [webhooks, page] = [yield* grant, yield* browserKey]
        const become = (organizationRole: Member["organizationRole"], role?: "viewer") =>
          atomic(
            members.put({
              ...member,
              organizationRole,
              workspaces: role === undefined ? [] : [{ workspaceId: owner.workspaceId, role }]
            })
          )
        yield* become("admin")
        assert.deepStrictEqual([yield* ask(webhooks), yield* ask(page)], ["accepted", "accepted"])
        yield* become(null, "viewer")
        assert.deepStrictEqual([yield* ask(webhooks), yield* ask(page)], ["revoked", "accepted"])
        yield* become(null)
        assert.deepStrictEqual([yield* ask(webhooks), yield* ask(page)], ["revoked", "revoked"])
      })
    )

    it.effect("is not made once its maker's session has ended, and ends with one that ends meanwhile", () =>
      Effect.gen(function* () {
        const { grant, session } = yield* aPerson({ organizationRole: "owner" })
        const [answers] = yield* Effect.all(
          [
            Effect.forEach(Array.from({ length: 20 }), () => Effect.option(grant), { concurrency: "unbounded" }),
            revokeSession({ session })
          ],
          { concurrency: "unbounded" }
        )
        for (const made of answers.flatMap((answer) => (answer._tag === "Some" ? [answer.value] : []))) {
          assert.strictEqual(yield* ask(made), "revoked")
        }
        assert.strictEqual((yield* Effect.flip(grant))._tag, "CredentialRefused")
      })
    )

    it.effect("is neither changed nor rotated, makes nothing, and is revoked like every other", () =>
      Effect.gen(function* () {
        const [keys, store] = [yield* Keys, yield* ApiKeyStore]
        const { make, owner } = yield* aMaker()
        const made = yield* make
        const { key } = made.value
        const by: KeyGrantor = { actor, scopes: ["runs:read", "keys:write"], key: null, session: null, role: null }
        const refused = [
          yield* Effect.flip(
            keys.updateApiKey({ owner, id: key.id, change: { name: "x" }, changer: by, ifVersion: undefined })
          ),
          yield* Effect.flip(
            keys.rotateApiKey({ owner, id: key.id, rotator: by, graceSeconds: 0, idempotency: undefined })
          )
        ]
        for (const failure of refused) assert.deepInclude(failure, { _tag: "ApiKeySettled", status: "temporary" })
        const creator: KeyGrantor = { actor, scopes: key.scopes, key, session: null, role: null }
        const again = keys.createBrowserKey({ ...owner, creator, reads, seconds: 1, idempotency: undefined })
        assert.strictEqual((yield* Effect.flip(again))._tag, "ScopeNotGrantable")
        assert.deepStrictEqual(yield* store.find(owner, key.id), key)
        yield* keys.revokeApiKey({ owner, id: key.id, actor })
        assert.strictEqual(yield* ask(made), "revoked")
      })
    )

    it.effect("is forgotten a day after it expired", () =>
      Effect.gen(function* () {
        const store = yield* ApiKeyStore
        const { key, make, owner } = yield* aMaker()
        const { value } = yield* make
        const now = yield* DateTime.now
        const old = { ...value.key, id: anId(ApiKeyId), expiresAt: DateTime.subtract(now, { hours: 24 }) }
        const recent = { ...value.key, id: anId(ApiKeyId), expiresAt: DateTime.subtract(now, { hours: 23 }) }
        for (const one of [old, recent]) yield* atomic(store.insert(one, aHash()))
        assert.isAtLeast(yield* pruneTemporaryKeys(), 1)
        assert.isUndefined(yield* store.find(owner, old.id))
        for (const { id } of [recent, value.key, key]) assert.isDefined(yield* store.find(owner, id))
      })
    )
  })
