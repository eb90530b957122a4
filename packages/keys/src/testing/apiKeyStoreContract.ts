import { describe, layer as suite } from "@effect/vitest"
import type { Layer } from "effect"
import { changeCases } from "./apiKeyChanges.ts"
import { descendantCases } from "./apiKeyDescendants.ts"
import { expiryCases } from "./apiKeyExpiries.ts"
import { recordCases } from "./apiKeyRecords.ts"
import { revocationCases } from "./apiKeyRevocation.ts"
import { temporaryCases } from "./apiKeyTemporary.ts"
import { lastUseCases } from "./apiKeyUses.ts"
import type { ApiKeyStoreContractPorts } from "./storedApiKeys.ts"

export type { ApiKeyStoreContractPorts } from "./storedApiKeys.ts"

/** The contract of every store of keys. */
export const apiKeyStoreContract = <E>(adapter: string, adapterLayer: Layer.Layer<ApiKeyStoreContractPorts, E>) =>
  describe(`API key store over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      recordCases(it)
      changeCases(it)
      revocationCases(it)
      descendantCases(it)
      lastUseCases(it)
      expiryCases(it)
      temporaryCases(it)
    })
  })
