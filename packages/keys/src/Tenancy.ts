import { FeedLog, Idempotency, Quotas, UnitOfWork } from "@agent-platform/kernel"
import { makeBind } from "@agent-platform/toolkit"
import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { ApiKeyStore } from "./ports/ApiKeyStore.ts"
import { LoginStore } from "./ports/LoginStore.ts"
import { MemberStore } from "./ports/MemberStore.ts"
import { TenancyStore } from "./ports/TenancyStore.ts"
import { WorkspaceSpend } from "./ports/WorkspaceSpend.ts"
import { createWorkspace } from "./use-cases/tenancy/createWorkspace.ts"
import { foundOrganization } from "./use-cases/tenancy/foundOrganization.ts"
import { inviteMember } from "./use-cases/tenancy/inviteMember.ts"
import { listMembers } from "./use-cases/tenancy/listMembers.ts"
import { listReachableWorkspaces } from "./use-cases/tenancy/listReachableWorkspaces.ts"
import { listWorkspaces } from "./use-cases/tenancy/listWorkspaces.ts"
import { readTenant } from "./use-cases/tenancy/readTenant.ts"
import { readWorkspace } from "./use-cases/tenancy/readWorkspace.ts"
import { removeMember } from "./use-cases/tenancy/removeMember.ts"
import { renameOrganization } from "./use-cases/tenancy/renameOrganization.ts"
import { requireWorkspaces } from "./use-cases/tenancy/requireWorkspaces.ts"
import { updateWorkspace } from "./use-cases/tenancy/updateWorkspace.ts"
import { WorkspaceSetup } from "./WorkspaceSetup.ts"

const make = Effect.gen(function* () {
  const bind = yield* makeBind(
    TenancyStore,
    MemberStore,
    ApiKeyStore,
    LoginStore,
    WorkspaceSpend,
    WorkspaceSetup,
    FeedLog,
    Idempotency,
    Quotas,
    UnitOfWork,
    SecureRandom.SecureRandom
  )
  return {
    foundOrganization: bind(foundOrganization),
    readTenant: bind(readTenant),
    createWorkspace: bind(createWorkspace),
    listWorkspaces: bind(listWorkspaces),
    listReachableWorkspaces: bind(listReachableWorkspaces),
    readWorkspace: bind(readWorkspace),
    requireWorkspaces: bind(requireWorkspaces),
    renameOrganization: bind(renameOrganization),
    updateWorkspace: bind(updateWorkspace),
    inviteMember: bind(inviteMember),
    listMembers: bind(listMembers),
    removeMember: bind(removeMember)
  }
})

/** Organizations, workspaces and members: every use case, bound to its ports when the layer is built. */
export class Tenancy extends Context.Service<Tenancy, Effect.Success<typeof make>>()("@agent-platform/keys/Tenancy") {
  static readonly layer = Layer.effect(Tenancy, make)
}

/** The ports that an embedder provides. */
export type TenancyPorts = Layer.Services<typeof Tenancy.layer>
