import { describe, layer as suite } from "@effect/vitest"
import type { Layer } from "effect"
import { claimCases } from "./deliveryClaims.ts"
import { insertCases } from "./deliveryInserts.ts"
import { leaseCases } from "./deliveryLeases.ts"
import { lifecycleCases } from "./deliveryLifecycle.ts"
import { recordCases } from "./deliveryRecords.ts"
import { settlementCases } from "./deliverySettlement.ts"
import { healthCases } from "./endpointHealthCases.ts"
import type { DeliveryContractPorts } from "./storedDeliveries.ts"

export type { DeliveryContractPorts } from "./storedDeliveries.ts"

/** The contract of stores of deliveries. Nobody else may claim deliveries from the store while the suite runs. */
export const deliveryContract = <E>(adapter: string, adapterLayer: Layer.Layer<DeliveryContractPorts, E>) =>
  describe(`delivery store over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      recordCases(it)
      claimCases(it)
      leaseCases(it)
      insertCases(it)
      settlementCases(it)
      healthCases(it)
      lifecycleCases(it)
    })
  })
