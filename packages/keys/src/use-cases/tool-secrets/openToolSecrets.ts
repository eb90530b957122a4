import { SecretBox, type WorkspaceId } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { Effect, type Redacted } from "effect"
import { patternsFor } from "../../HostPattern.ts"
import { type SealedToolSecret, ToolSecretStore } from "../../ports/ToolSecretStore.ts"
import { type ToolSecret, ToolSecretUnreadable, toolSecretPlace } from "../../ToolSecret.ts"

/** A secret with its value. */
export interface OpenedToolSecret {
  readonly secret: ToolSecret
  readonly value: Redacted.Redacted
}

const open = Effect.fnUntraced(function* ({ sealed, secret }: SealedToolSecret) {
  const box = yield* SecretBox
  const value = yield* Effect.catch(box.open(toolSecretPlace(secret), sealed), ({ reason }) =>
    Effect.andThen(
      Effect.logError(`The tool secret ${secret.id} cannot be opened: ${reason}`),
      Effect.fail(new ToolSecretUnreadable({ name: secret.name }))
    )
  )
  return { secret, value } satisfies OpenedToolSecret
})

/**
 * The workspace's secrets for a request to this URL, one for each header: that of the host itself before those of its suffixes, and the
 * longest suffix first. Fails with ToolSecretUnreadable where one cannot be opened: a request does not go out without it.
 */
export const openToolSecrets = useCase("toolSecrets.open")(function* (query: {
  readonly workspaceId: WorkspaceId
  readonly url: string
}) {
  const store = yield* ToolSecretStore
  const patterns = patternsFor(query.url)
  if (patterns.length === 0) return []
  const found = yield* store.withPatterns(query.workspaceId, patterns)
  const ranked = patterns.flatMap((pattern) => found.filter(({ secret }) => secret.hostPattern === pattern))
  // The map keeps the last secret of each header, so the best one is put in last.
  const chosen = new Map(ranked.toReversed().map((one) => [one.secret.header, one]))
  return yield* Effect.forEach(chosen.values(), open)
})
