import { Effect } from "effect"
import { ToolSecretStore } from "../../ports/ToolSecretStore.ts"
import { type ToolSecret, ToolSecretTaken } from "../../ToolSecret.ts"

/** Fails with ToolSecretTaken where another secret of the workspace has the name, or the header and the pattern. The caller holds the workspace. */
export const requireFree = Effect.fnUntraced(function* (secret: ToolSecret) {
  const store = yield* ToolSecretStore
  const [other] = yield* store.alike(secret)
  if (other !== undefined) {
    return yield* new ToolSecretTaken({ by: other.name === secret.name ? "name" : "host_pattern" })
  }
})
