import {
  atomic,
  type IdempotencyRequest,
  idempotently,
  type OrganizationCaller,
  QuotaExceeded,
  Quotas,
  WorkspaceId
} from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { Effect } from "effect"
import type { KeyGrantor } from "../../KeyGrant.ts"
import { TenancyStore } from "../../ports/TenancyStore.ts"
import { type Workspace, WorkspaceNotFound } from "../../Workspace.ts"
import { WorkspaceSetup } from "../../WorkspaceSetup.ts"
import { holdGrantor } from "../api-keys/holdGrantor.ts"
import { makeWorkspace } from "./makeWorkspace.ts"
import { recordWorkspace } from "./workspaceActivity.ts"

export interface CreateWorkspace
  extends Pick<Workspace, "name" | "timezone" | "monthlyCapUsd" | "allowPlatformKeys">,
    Partial<Pick<Workspace, "retentionDays">> {
  readonly caller: OrganizationCaller
  /** The caller with its bounds. */
  readonly by: KeyGrantor
  readonly idempotency: IdempotencyRequest | undefined
}

/** Creates a workspace in the caller's organization. Fails with TimezoneUnknown and QuotaExceeded, and as `holdGrantor` says. */
export const createWorkspace = useCase("tenancy.createWorkspace")(function* (command: CreateWorkspace) {
  const store = yield* TenancyStore
  const { caller } = command

  const create = Effect.gen(function* () {
    yield* holdGrantor({ organizationId: caller.organizationId, workspaceId: null }, command.by)
    const { workspaces: limit } = yield* Quotas
    if ((yield* store.holdWorkspaces(caller.organizationId, limit)) >= limit) {
      return yield* new QuotaExceeded({ quota: "workspaces", of: "organization", limit })
    }
    const workspace = yield* makeWorkspace(caller, command)
    yield* store.insertWorkspace(workspace)
    yield* recordWorkspace("created", caller.actor, workspace)
    yield* (yield* WorkspaceSetup).setUp(workspace)
    return workspace
  })

  return yield* idempotently(command.idempotency, {
    create,
    idOf: (workspace) => workspace.id,
    find: (id) =>
      Effect.flatMap(store.findWorkspace(caller.organizationId, WorkspaceId.make(id)), (workspace) =>
        workspace === undefined ? Effect.fail(new WorkspaceNotFound()) : Effect.succeed(workspace)
      )
  })
}, atomic)
