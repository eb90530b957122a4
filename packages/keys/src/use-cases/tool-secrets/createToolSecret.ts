import {
  atomic,
  createdBefore,
  Egress,
  freshId,
  type IdempotencyRequest,
  idempotently,
  QuotaExceeded,
  Quotas,
  SecretBox,
  type WorkspaceCaller
} from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { DateTime, Effect, type Redacted } from "effect"
import { ToolSecretStore } from "../../ports/ToolSecretStore.ts"
import { type ToolSecret, ToolSecretId, ToolSecretNotFound, toolSecretPlace } from "../../ToolSecret.ts"
import { requireFree } from "./requireFree.ts"
import { recordSecret } from "./secretActivity.ts"

export interface CreateToolSecret extends Pick<ToolSecret, "name" | "hostPattern" | "header" | "oauth"> {
  readonly caller: WorkspaceCaller
  /** The content of the header, or the secret of the client. */
  readonly value: Redacted.Redacted
  readonly idempotency: IdempotencyRequest | undefined
}

/** Admits a token URL that may be called for tools or for MCP servers: the secret may be needed for requests to either. */
export const admitTokenUrl = (url: string) =>
  Egress.use((egress) => Effect.catch(egress.admit(url, "tools"), () => egress.admit(url, "mcp")))

/**
 * Adds a secret to the workspace. Fails with UrlNotPublic where the token URL may not be called, ToolSecretTaken and
 * QuotaExceeded.
 */
export const createToolSecret = useCase("toolSecrets.create")(function* (command: CreateToolSecret) {
  const { header, hostPattern, name, oauth, value } = command
  const { actor, organizationId, workspaceId } = command.caller
  const store = yield* ToolSecretStore
  const box = yield* SecretBox
  // A replay does not depend on where the host's name leads by now.
  if (oauth !== null && (yield* createdBefore(command.idempotency)) === undefined) yield* admitTokenUrl(oauth.tokenUrl)

  const create = Effect.gen(function* () {
    const { tool_secrets: limit } = yield* Quotas
    if ((yield* store.hold(workspaceId, limit)) >= limit) {
      return yield* new QuotaExceeded({ quota: "tool_secrets", of: "workspace", limit })
    }
    const createdAt = yield* DateTime.now
    const id = yield* freshId(ToolSecretId)
    const tenant = { organizationId, workspaceId }
    const given = { name, hostPattern, header, oauth }
    const secret: ToolSecret = {
      id,
      ...tenant,
      ...given,
      version: 1,
      createdAt,
      createdBy: actor,
      updatedAt: createdAt
    }
    yield* requireFree(secret)
    yield* store.insert(secret, yield* box.seal(toolSecretPlace(secret), value))
    yield* recordSecret("created", actor, secret)
    return secret
  })

  return yield* atomic(
    idempotently(command.idempotency, {
      create,
      idOf: (secret) => secret.id,
      find: (id) =>
        Effect.flatMap(store.find(workspaceId, ToolSecretId.make(id)), (secret) =>
          secret === undefined ? Effect.fail(new ToolSecretNotFound()) : Effect.succeed(secret)
        )
    })
  )
})
