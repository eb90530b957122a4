import { Api, CurrentCaller, Forbidden, UnprocessableContent } from "@agent-platform/contract"
import { WorkspaceId } from "@agent-platform/kernel"
import { MemberId, type RoleNotGrantable, type ScopeNotGrantable, Tenancy } from "@agent-platform/keys"
import { DateTime, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { grantorOf } from "../callers.ts"
import { makeCursors } from "../cursors.ts"
import { idempotencyProblems, invalid, notFound, notFoundAt } from "../edge/problems.ts"
import { creation, makeIdempotencyOf } from "../idempotency.ts"
import { idOf } from "../ids.ts"
import { quotaProblems } from "../quotas.ts"
import { memberView } from "../views/memberView.ts"
import { lostRightProblems } from "./lostRightProblems.ts"

const PATH = "/api/v1/org/members"

const WHO_MAY = {
  owner: "Only owners, and organization keys without any bound that an owner or the operator made, may",
  admin: "Only owners and admins, and organization keys without any bound, may"
}

const roleNotGrantable = ({ role }: RoleNotGrantable) =>
  new Forbidden({ code: "insufficient_scope", detail: `${WHO_MAY[role]} make, change or remove ${role}s` })

const scopeNotGrantable = ({ scopes }: ScopeNotGrantable) =>
  new Forbidden({
    code: "insufficient_scope",
    detail: `The API key cannot give a role in a workspace whose scopes it lacks: ${scopes.join(", ")}`
  })

const lastOwner = () =>
  new UnprocessableContent({
    code: "validation_failed",
    detail: "The member is the last owner who has joined. Make somebody else an owner first"
  })

const workspaceNotFound = notFoundAt("/workspaces", "must name workspaces that you can see, by their ids")

const POINTERS = { email: "/email", organizationRole: "/organization_role", workspaces: "/workspaces" } as const

/** The organization's members. */
export const layerMembers = HttpApiBuilder.group(
  Api,
  "members",
  Effect.fnUntraced(function* (handlers) {
    const tenancy = yield* Tenancy
    const cursors = yield* makeCursors
    const idempotencyOf = yield* makeIdempotencyOf
    return handlers.handleAll({
      // Inviting somebody who is a member gives them other roles, so that it can fail with LastOwner. MemberNotFound: the request comes
      // again, and the member that it made has been removed.
      inviteMember: Effect.fnUntraced(function* ({ headers, payload, request }) {
        const caller = yield* CurrentCaller
        const workspaces = []
        for (const { role, workspaceId: text } of payload.workspaces) {
          workspaces.push({ workspaceId: yield* idOf(WorkspaceId, text, workspaceNotFound), role })
        }
        const invited = yield* tenancy
          .inviteMember({
            caller,
            by: grantorOf(caller),
            email: payload.email,
            organizationRole: payload.organizationRole ?? null,
            workspaces,
            idempotency: yield* idempotencyOf(`POST ${PATH}`, caller.organizationId, { headers, request })
          })
          .pipe(
            Effect.catchTags({
              ...idempotencyProblems,
              ...quotaProblems,
              InvitationInvalid: ({ detail, field }) => invalid(POINTERS[field], detail),
              WorkspaceNotFound: workspaceNotFound,
              // A repeated request finds nobody where the member was removed meanwhile.
              MemberNotFound: notFound,
              ...lostRightProblems(caller),
              RoleNotGrantable: roleNotGrantable,
              ScopeNotGrantable: scopeNotGrantable,
              // Who is a member already gets the part that the invitation names.
              LastOwner: () => invalid("/organization_role", "must stay owner: nobody else who has joined is one")
            })
          )
        return creation(memberView(invited.value, yield* DateTime.now), invited.replayed)
      }),

      listMembers: Effect.fnUntraced(function* ({ query }) {
        const caller = yield* CurrentCaller
        const scope = { route: `GET ${PATH}`, owner: caller.organizationId, filters: {} }
        const now = yield* DateTime.now
        return yield* cursors.page(
          scope,
          query,
          (page) => tenancy.listMembers({ caller, page }),
          (member) => memberView(member, now)
        )
      }),

      removeMember: Effect.fnUntraced(function* ({ params }) {
        const caller = yield* CurrentCaller
        const id = yield* idOf(MemberId, params.member_id)
        const member = yield* tenancy.removeMember({ caller, by: grantorOf(caller), id }).pipe(
          Effect.catchTags({
            ...lostRightProblems(caller),
            MemberNotFound: notFound,
            RoleNotGrantable: roleNotGrantable,
            LastOwner: lastOwner
          })
        )
        return { id: member.id, email: member.email, status: "removed" as const }
      })
    })
  })
)
