import { Api, type Caller, CurrentCaller, Forbidden, UnprocessableContent } from "@agent-platform/contract"
import { parseId, WorkspaceId } from "@agent-platform/kernel"
import { MemberId, type OrganizationRole, scopesOfKind, Tenancy } from "@agent-platform/keys"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { makeCursors } from "../cursors.ts"
import { idempotencyProblems, invalid, notFound } from "../edge/problems.ts"
import { creation, makeIdempotencyOf } from "../idempotency.ts"
import { memberView } from "../views/memberView.ts"

const PATH = "/api/v1/org/members"

const ownersReserved = () =>
  new Forbidden({
    code: "insufficient_scope",
    detail: "Only owners, and organization keys without any bound, may make, change or remove owners"
  })

const lastOwner = () =>
  new UnprocessableContent({
    code: "validation_failed",
    detail: "The member is the last owner who has joined. Make somebody else an owner first"
  })

const POINTERS = { email: "/email", organizationRole: "/organization_role", workspaces: "/workspaces" } as const

/**
 * What the caller is in the organization. A key is as good as an owner if nothing bounds it: a person whom it makes an owner has
 * every scope, for ever and from everywhere, which a key that lacks any of that must not give.
 */
const authorityOf = ({ credential, scopes }: Caller): OrganizationRole => {
  if (credential.type === "session") return credential.user.role === "owner" ? "owner" : "admin"
  const unbounded = credential.expiresAt === null && credential.allowedIps.length === 0
  return unbounded && scopesOfKind("organization").every((scope) => scopes.includes(scope)) ? "owner" : "admin"
}

/** The organization's members. */
export const layerMembers = HttpApiBuilder.group(
  Api,
  "members",
  Effect.fnUntraced(function* (handlers) {
    const tenancy = yield* Tenancy
    const cursors = yield* makeCursors
    const idempotencyOf = yield* makeIdempotencyOf
    return handlers.handleAll({
      inviteMember: Effect.fnUntraced(function* ({ headers, payload, request }) {
        const caller = yield* CurrentCaller
        const workspaces = []
        for (const { role, workspaceId: text } of payload.workspaces) {
          const workspaceId = parseId(WorkspaceId, text)
          if (workspaceId === undefined) return yield* notFound()
          workspaces.push({ workspaceId, role })
        }
        const invited = yield* tenancy
          .inviteMember({
            caller,
            by: authorityOf(caller),
            email: payload.email,
            organizationRole: payload.organizationRole ?? null,
            workspaces,
            idempotency: yield* idempotencyOf(`POST ${PATH}`, caller.organizationId, { headers, request })
          })
          .pipe(
            Effect.catchTags({
              ...idempotencyProblems,
              InvitationInvalid: ({ detail, field }) => Effect.fail(invalid(POINTERS[field], detail)),
              WorkspaceNotFound: () => Effect.fail(notFound()),
              MemberNotFound: () => Effect.fail(notFound()),
              OwnersReserved: () => Effect.fail(ownersReserved()),
              LastOwner: () =>
                Effect.fail(invalid("/organization_role", "must stay owner: nobody else who has joined is one"))
            })
          )
        return creation(memberView(invited.value), invited.replayed)
      }),

      listMembers: Effect.fnUntraced(function* ({ query }) {
        const caller = yield* CurrentCaller
        const scope = { route: `GET ${PATH}`, owner: caller.organizationId, filters: {} }
        const before = yield* cursors.read(scope, query.cursor)
        const page = yield* tenancy.listMembers({ caller, page: { limit: query.limit, before } })
        return { items: page.items.map(memberView), nextCursor: cursors.write(scope, page.next) }
      }),

      removeMember: Effect.fnUntraced(function* ({ params }) {
        const caller = yield* CurrentCaller
        const id = parseId(MemberId, params.member_id)
        if (id === undefined) return yield* notFound()
        const member = yield* tenancy.removeMember({ caller, by: authorityOf(caller), id }).pipe(
          Effect.catchTags({
            MemberNotFound: () => Effect.fail(notFound()),
            OwnersReserved: () => Effect.fail(ownersReserved()),
            LastOwner: () => Effect.fail(lastOwner())
          })
        )
        return { id: member.id, email: member.email, status: "removed" as const }
      })
    })
  })
)
