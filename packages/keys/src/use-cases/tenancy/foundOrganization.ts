import { type Actor, atomic, freshId, OrganizationId, recordActivity } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime } from "effect"
import { parseEmail } from "../../Email.ts"
import type { Member } from "../../Member.ts"
import { InvitationInvalid } from "../../Membership.ts"
import { MemberStore } from "../../ports/MemberStore.ts"
import { TenancyStore } from "../../ports/TenancyStore.ts"
import type { Organization } from "../../Workspace.ts"
import { makeMember } from "./makeMember.ts"
import { makeWorkspace } from "./makeWorkspace.ts"
import { recordMember } from "./memberActivity.ts"
import { recordWorkspace } from "./workspaceActivity.ts"

/** The operator of the platform, outside of every organization. */
const OPERATOR: Actor = { type: "system", id: "admin", label: "admin" }

export interface FoundOrganization {
  readonly name: string
  readonly workspaceName: string
  readonly timezone: string
  /** The address that is invited as its first owner; undefined for nobody. */
  readonly ownerEmail?: string | undefined
  /** The founder; the operator by default. */
  readonly actor?: Actor | undefined
}

/**
 * Creates an organization with its first workspace, and invites its first owner, if one is named. Fails with TimezoneUnknown, and
 * with InvitationInvalid for an address that is none.
 */
export const foundOrganization = useCase("tenancy.foundOrganization")(function* (command: FoundOrganization) {
  const store = yield* TenancyStore
  const members = yield* MemberStore
  const actor = command.actor ?? OPERATOR
  const email = command.ownerEmail === undefined ? null : parseEmail(command.ownerEmail)
  if (email === undefined) return yield* new InvitationInvalid({ field: "email", detail: "must be an e-mail address" })
  const organization: Organization = {
    id: yield* freshId(OrganizationId),
    name: command.name,
    createdAt: yield* DateTime.now
  }
  const caller = { organizationId: organization.id, actor }
  const workspace = yield* makeWorkspace(caller, { name: command.workspaceName, timezone: command.timezone })
  const owner: Member | null =
    email === null
      ? null
      : yield* makeMember(caller, { email, organizationRole: "owner", workspaces: [], invitedByKey: null })

  yield* store.insertOrganization(organization)
  yield* store.insertWorkspace(workspace)
  yield* recordActivity({
    organizationId: organization.id,
    workspaceId: null,
    action: "organization.created",
    actor,
    summary: `${actor.label} created the organization '${organization.name}'`,
    resourceType: "organization",
    resourceId: organization.id,
    payload: { name: organization.name }
  })
  yield* recordWorkspace("created", actor, workspace)
  if (owner !== null) {
    yield* members.put(owner)
    yield* recordMember("invited", actor, owner)
  }
  return { organization, workspace, owner }
}, atomic)
