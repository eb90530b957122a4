/** Members of the organization: people, who come by login. Spec: OAuth. */
import { EMAIL_LENGTH_MAX, GRANTS_MAX, MemberStatus, OrganizationRole, WorkspaceRole } from "@agent-platform/keys"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Access } from "./access.ts"
import { created, idempotencyHeaders } from "./creations.ts"
import { Conflict, NotFound, UnprocessableContent } from "./errors.ts"
import { actorFields, bounded, formed, id, maybe, orElse, pageFields, text, time } from "./formats.ts"
import { JsonBody, Strict } from "./middleware.ts"
import { documentParameters, pageParameters } from "./queries.ts"
import { wire } from "./wire.ts"

const grantFields = {
  workspaceId: id("The workspace's id"),
  role: WorkspaceRole.annotate({ description: "The person's role there" })
}

/** The body that invites a person, or gives a member another part. */
export const NewMember = wire(
  {
    email: bounded("The address to invite. It is trimmed; upper and lower case are the same", 1, EMAIL_LENGTH_MAX),
    organizationRole: maybe(
      OrganizationRole.annotate({ description: "The role in the whole organization; null for workspaces only" })
    ),
    workspaces: orElse(
      Schema.Array(
        wire(grantFields, {
          identifier: "NewWorkspaceGrant",
          description: "A role in a workspace",
          examples: [{ workspace_id: "01a1fd50-ceeb-745b-8b02-bf49d85f268d", role: "member" }]
        })
      )
        .annotate({
          description:
            "Roles in single workspaces, each named once. Must not be empty where there is no `organization_role`",
          default: []
        })
        .check(Schema.isMaxLength(GRANTS_MAX, { message: `must name at most ${GRANTS_MAX} workspaces` })),
      []
    )
  },
  {
    identifier: "NewMember",
    description: "The person to invite",
    examples: [
      {
        email: "ada@example.com",
        workspaces: [{ workspace_id: "01a1fd50-ceeb-745b-8b02-bf49d85f268d", role: "member" }]
      }
    ]
  }
)

/** A member, joined or only invited. */
export const MemberView = wire(
  {
    id: id("The member's id"),
    email: formed("email", "The address that was invited"),
    organizationRole: Schema.NullOr(OrganizationRole).annotate({
      description: "The role in the whole organization; null for workspaces only"
    }),
    workspaces: Schema.Array(
      wire(grantFields, { identifier: "WorkspaceGrant", description: "A role in a workspace" })
    ).annotate({
      description:
        "Roles in single workspaces, each named once. Must not be empty where there is no `organization_role`"
    }),
    status: MemberStatus.annotate({
      description:
        "joined once a person has logged in with the address. An invitation by an API key is lapsed once that key is not " +
        "accepted any more: it can only be taken up after it is made again"
    }),
    user: Schema.NullOr(
      wire(
        { id: id("The user's id"), name: text("The user's name") },
        { identifier: "MemberUser", description: "The person who took the invitation up" }
      )
    ).annotate({ description: "The person who took the invitation up; null while it is open" }),
    invitedBy: wire(actorFields, { identifier: "Inviter", description: "Who invited the person" }),
    invitedAt: time("When the person was invited"),
    joinedAt: Schema.NullOr(time("When the person took the invitation up"))
  },
  { identifier: "Member", description: "A person in the organization" }
)

/** A page of members. */
export const MemberPage = wire(pageFields(MemberView, "Newest first, joined or only invited"), {
  identifier: "MemberPage",
  description: "Members, newest first"
})

/** A member that was removed. */
export const RemovedMember = wire(
  {
    id: id("The member's id"),
    email: formed("email", "The address that was invited"),
    status: Schema.Literal("removed")
  },
  { identifier: "RemovedMember", description: "Who is no member any more" }
)

/** The group behind `/api/v1/org/members`. */
export class MembersGroup extends HttpApiGroup.make("members")
  .add(
    HttpApiEndpoint.post("inviteMember", "/api/v1/org/members", {
      headers: idempotencyHeaders,
      payload: NewMember,
      success: created(MemberView),
      error: [NotFound, Conflict, UnprocessableContent]
    })
      .middleware(JsonBody)
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Summary, "Invite a member, or change one")
      .annotate(
        OpenApi.Description,
        "Invites a person by e-mail address: a login with that address, verified, makes the person a member. For an " +
          "address that was invited before it replaces role and workspaces, from the member's next request on. " +
          "Admins may not make or change owners, and the last owner who has joined stays one. A key with an " +
          "expiry, with allowed_ips or without some scope gives no role in the organization, and in workspaces " +
          "only roles whose scopes it has. A workspace of another organization is 404."
      ),
    HttpApiEndpoint.get("listMembers", "/api/v1/org/members", {
      query: pageParameters.fields,
      success: MemberPage
    })
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Transform, documentParameters(pageParameters.docs))
      .annotate(OpenApi.Summary, "List members")
      .annotate(OpenApi.Description, "The organization's members, newest first, those who have not come yet included."),
    HttpApiEndpoint.delete("removeMember", "/api/v1/org/members/:member_id", {
      params: { member_id: id("The member's id") },
      success: RemovedMember,
      error: [NotFound, UnprocessableContent]
    })
      .annotate(Access, { reach: "organization", scope: "org:admin" })
      .annotate(OpenApi.Summary, "Remove a member")
      .annotate(
        OpenApi.Description,
        "Removes a member or takes an invitation back. The member's sessions are refused from their next request on. " +
          "Admins may not remove owners, and the last owner who has joined stays."
      )
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Members")
  .annotate(OpenApi.Description, "People in the organization, and their roles") {}
