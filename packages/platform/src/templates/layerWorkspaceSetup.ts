import type { Transaction } from "@agent-platform/kernel"
import { type Workspace, WorkspaceSetup } from "@agent-platform/keys"
import { type Context, Effect, Layer } from "effect"
import { beginAll } from "./followers.ts"

type Ports = Exclude<Effect.Services<ReturnType<typeof beginAll>>, Transaction>

/** Copies the templates of an organization into each of its workspaces when the workspace is created. */
export const layerWorkspaceSetup = Layer.effect(
  WorkspaceSetup,
  Effect.contextWith((context: Context.Context<Ports>) =>
    Effect.succeed({
      setUp: ({ id, organizationId }: Workspace) => Effect.provideContext(beginAll(organizationId, id), context)
    })
  )
)
