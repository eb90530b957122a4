import { describe, layer as suite } from "@effect/vitest"
import type { Layer } from "effect"
import { recordCases } from "./providerKeyRecords.ts"
import { valueCases } from "./providerKeyValues.ts"
import type { ProviderKeyStoreContractPorts } from "./storedProviderKeys.ts"

export type { ProviderKeyStoreContractPorts } from "./storedProviderKeys.ts"

/** The contract of every store of provider keys. */
export const providerKeyStoreContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<ProviderKeyStoreContractPorts, E>
) =>
  describe(`provider key store over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      recordCases(it)
      valueCases(it)
    })
  })
