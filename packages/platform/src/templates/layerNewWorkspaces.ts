import type { FeedLog, SecretBox, TemplateStore } from "@agent-platform/kernel"
import { NewWorkspaces, type ToolSecretStore, type Workspace } from "@agent-platform/keys"
import { type Context, Effect, Layer } from "effect"
import type { SecureRandom } from "effect/crypto"
import { followAll } from "./followers.ts"

type Ports = TemplateStore | ToolSecretStore | SecretBox | FeedLog | SecureRandom.SecureRandom

/** Gives workspaces the templates of their organization when they are created. */
export const layerNewWorkspaces = Layer.effect(
  NewWorkspaces,
  Effect.contextWith((context: Context.Context<Ports>) =>
    Effect.succeed({
      begin: ({ id, organizationId }: Workspace) => Effect.provideContext(followAll(organizationId, id), context)
    })
  )
)
