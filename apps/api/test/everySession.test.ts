/** Permissions of roles, for every endpoint of the contract, new ones included. Spec: OAuth. */

import { OrganizationId, UnitOfWork } from "@agent-platform/kernel"
import { type LoginStore, MemberStore, type Role, scopesOfRole } from "@agent-platform/keys"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { authenticated, bodyFor, type Endpoint, endpoints, ends, UNKNOWN_ID } from "./endpoints.ts"
import { aPerson, type PersonSession } from "./people.ts"
import { layer as layerApi, type Tenant, TestApi } from "./support.ts"

const ROLES: ReadonlyArray<Role> = ["owner", "admin", "member", "viewer"]

/** Those that may read over all of an organization. */
const ADMINISTERS: ReadonlySet<Role> = new Set<Role>(["owner", "admin"])

/** The answer without what differs between any two requests. */
const comparable = (text: string) => text.replace(/"request_id":"[^"]+"/, "").replace(/"instance":"[^"]+"/, "")

type Services = TestApi | LoginStore | MemberStore | UnitOfWork

const once = <A>(effect: Effect.Effect<A, never, Services>) => Effect.runSync(Effect.cached(effect))

/** The tenant and the people of all requests that are refused: making them anew takes longer than the requests. */
const settled = once(Effect.flatMap(TestApi, (api) => api.tenant))
const inRole = (role: Role | "nothing") => once(Effect.flatMap(settled, (tenant) => aPerson(tenant, role)))
const people = {
  owner: inRole("owner"),
  otherOwner: inRole("owner"),
  admin: inRole("admin"),
  member: inRole("member"),
  viewer: inRole("viewer"),
  nothing: inRole("nothing")
}

layer(layerApi, { excludeTestServices: true })("every endpoint", (it) => {
  const each = (
    title: string,
    only: (endpoint: Endpoint) => boolean,
    test: (endpoint: Endpoint, tenant: Tenant) => Effect.Effect<void, never, Services>
  ) =>
    describe(title, () => {
      for (const endpoint of endpoints.filter((one) => authenticated(one) && only(one))) {
        it.effect(endpoint.id, () => Effect.flatMap(settled, (tenant) => test(endpoint, tenant)))
      }
    })

  // A stream has no end, but does not begin behind an event that there is not.
  const call = (endpoint: Endpoint, given: Readonly<Record<string, string>>) =>
    TestApi.use((api) => {
      const headers = ends(endpoint) ? given : { ...given, "last-event-id": UNKNOWN_ID }
      return api.call(endpoint.method, endpoint.path, { headers, ...bodyFor(endpoint) })
    })

  const codeOf = (endpoint: Endpoint, headers: Readonly<Record<string, string>>) =>
    Effect.map(call(endpoint, headers), ({ json, status }) => `${status} ${json?.["code"]}`)

  const inWorkspace = ({ unsafe }: PersonSession, { workspaceId }: Tenant) => ({
    ...unsafe,
    "x-workspace-id": workspaceId
  })

  each(
    "answers 403 to a role that does not include its scope, and lets the others pass",
    ({ access }) => access?.scope != null && access.reach !== "organization_key",
    (endpoint) =>
      Effect.gen(function* () {
        // Some of these pass, and end the session for one.
        const tenant = yield* Effect.flatMap(TestApi, (api) => api.tenant)
        for (const role of ROLES) {
          const code = yield* codeOf(endpoint, inWorkspace(yield* aPerson(tenant, role), tenant))
          const includes = scopesOfRole(role).some((scope) => scope === endpoint.access?.scope)
          // Over all of an organization, a role in one workspace is too little.
          const isAdmitted = includes && (endpoint.access?.reach !== "organization" || ADMINISTERS.has(role))
          if (!isAdmitted) assert.strictEqual(code, "403 insufficient_scope", role)
          else assert.notMatch(code, /^(401|403)/, role)
        }
      })
  )

  each(
    "answers 403 to every person where it takes an organization key only",
    ({ access }) => access?.reach === "organization_key",
    (endpoint, tenant) =>
      Effect.gen(function* () {
        for (const role of ROLES) {
          const person = yield* people[role]
          assert.strictEqual(yield* codeOf(endpoint, person.unsafe), "403 org_key_required")
          assert.strictEqual(yield* codeOf(endpoint, inWorkspace(person, tenant)), "403 org_key_required")
        }
      })
  )

  each(
    "answers 403 to members and viewers where it concerns the organization, with and without a workspace",
    ({ access }) => access?.reach === "organization",
    (endpoint, tenant) =>
      Effect.gen(function* () {
        for (const role of ["member", "viewer"] as const) {
          const person = yield* people[role]
          assert.strictEqual(yield* codeOf(endpoint, person.unsafe), "403 insufficient_scope")
          assert.strictEqual(yield* codeOf(endpoint, inWorkspace(person, tenant)), "403 insufficient_scope")
        }
      })
  )

  each(
    "answers 400 to a person who names no workspace where it needs one",
    ({ access }) => access?.reach === "workspace",
    (endpoint) =>
      Effect.gen(function* () {
        for (const role of [...ROLES, "nothing" as const]) {
          const { unsafe } = yield* people[role]
          assert.strictEqual(yield* codeOf(endpoint, unsafe), "400 workspace_required", role)
          assert.strictEqual(yield* codeOf(endpoint, { ...unsafe, "x-workspace-id": "" }), "400 workspace_required")
        }
      })
  )

  each(
    "answers the same 404 to a workspace in which the person has no part, be it foreign, unknown or malformed",
    () => true,
    (endpoint, tenant) =>
      Effect.gen(function* () {
        const api = yield* TestApi
        const stranger = yield* api.tenant
        const [owner, nobody] = [yield* people.owner, yield* people.nothing]
        const attempts = [
          [owner, stranger.workspaceId],
          [owner, UNKNOWN_ID],
          [owner, "nonsense"],
          [nobody, tenant.workspaceId],
          [nobody, stranger.workspaceId]
        ] as const
        const answers = yield* Effect.forEach(attempts, ([{ unsafe }, workspace]) =>
          call(endpoint, { ...unsafe, "x-workspace-id": workspace })
        )
        for (const { status } of answers) assert.strictEqual(status, 404)
        if (endpoint.method !== "HEAD") assert.strictEqual(new Set(answers.map(({ text }) => comparable(text))).size, 1)
      })
  )

  each(
    "answers 403 to an unsafe request without the session's token, whatever the role",
    ({ method }) => method !== "GET",
    (endpoint, tenant) =>
      Effect.gen(function* () {
        const [person, other] = [yield* people.owner, yield* people.otherOwner]
        for (const token of [{}, { "x-csrf-token": String(other.unsafe["x-csrf-token"]) }]) {
          const headers = { ...person.headers, "x-workspace-id": tenant.workspaceId, ...token }
          assert.strictEqual(yield* codeOf(endpoint, headers), "403 csrf_failed")
        }
      })
  )

  each(
    "answers 401 to a person who was removed a moment ago",
    () => true,
    (endpoint, tenant) =>
      Effect.gen(function* () {
        const [members, unit] = [yield* MemberStore, yield* UnitOfWork]
        const person = yield* people.owner
        yield* unit.atomic(members.remove(OrganizationId.make(tenant.organizationId), person.member.id))
        assert.strictEqual(yield* codeOf(endpoint, inWorkspace(person, tenant)), "401 invalid_credential")
      })
  )
})
