import { type SealedValues, sealedFingerprintKey } from "@agent-platform/kernel"
import { sealedProviderKeys, sealedToolSecrets } from "@agent-platform/keys"
import { sealedAgentSecrets, sealedRecordKeys, sealedWebhookSecrets } from "@agent-platform/runs"
import { useCase } from "@agent-platform/toolkit"
import { sealedEndpointSecrets } from "@agent-platform/webhooks"
import { Effect } from "effect"
import { type ResealCounts, resealAll } from "./resealAll.ts"
import { sealedTemplates } from "./templates/sealedTemplates.ts"

/** All stores with sealed values. While a store is missing here, an old key stays needed for its values. */
export const SEALED_STORES = [
  sealedEndpointSecrets,
  sealedProviderKeys,
  sealedToolSecrets,
  sealedAgentSecrets,
  sealedWebhookSecrets,
  sealedRecordKeys,
  sealedTemplates,
  sealedFingerprintKey
] as const

/** The result for one store. */
export interface ResealedStore extends ResealCounts {
  readonly name: string
}

/**
 * Seals the values of all stores under the current key, as `resealAll` does for one. `onProgress` is called after every page.
 */
export const resealSecrets = useCase("platform.resealSecrets")(function* (options: {
  readonly dryRun: boolean
  /** How many pages of every store are looked at; all of them by default. */
  readonly pagesMax?: number | undefined
  readonly onProgress: (store: ResealedStore) => Effect.Effect<void>
}) {
  const stores: ReadonlyArray<SealedValues> = yield* Effect.all(SEALED_STORES)
  return yield* Effect.forEach(stores, (values) =>
    resealAll(values, {
      dryRun: options.dryRun,
      pagesMax: options.pagesMax,
      onPage: (counts) => options.onProgress({ name: values.name, ...counts })
    }).pipe(Effect.map((counts): ResealedStore => ({ name: values.name, ...counts })))
  )
})
