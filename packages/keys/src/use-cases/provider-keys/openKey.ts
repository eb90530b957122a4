import { SecretBox } from "@agent-platform/kernel"
import { Effect } from "effect"
import { providerKeyPlace } from "../../ProviderKey.ts"
import type { SealedProviderKey } from "../../ports/ProviderKeyStore.ts"

/** The value of a key. Undefined when it cannot be opened, which is a fault of the deployment and logged for its operator. */
export const openKey = Effect.fnUntraced(function* ({ key, sealed }: SealedProviderKey) {
  const box = yield* SecretBox
  const opened = yield* Effect.result(box.open(providerKeyPlace(key), sealed))
  if (opened._tag === "Success") return opened.success
  yield* Effect.logError(`The provider key ${key.id} cannot be opened: ${opened.failure.reason}`)
  return undefined
})
