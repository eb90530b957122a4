import type { Transaction } from "@agent-platform/kernel"
import { NewWorkspaces, type Workspace } from "@agent-platform/keys"
import { type Context, Effect, Layer } from "effect"
import { beginAll } from "./followers.ts"

type Ports = Exclude<Effect.Services<ReturnType<typeof beginAll>>, Transaction>

/** Gives workspaces the templates of their organization when they are created. */
export const layerNewWorkspaces = Layer.effect(
  NewWorkspaces,
  Effect.contextWith((context: Context.Context<Ports>) =>
    Effect.succeed({
      begin: ({ id, organizationId }: Workspace) => Effect.provideContext(beginAll(organizationId, id), context)
    })
  )
)
