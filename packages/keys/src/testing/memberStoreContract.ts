import { describe, layer as suite } from "@effect/vitest"
import type { Layer } from "effect"
import { memberLoginCases } from "./memberLogins.ts"
import { memberRecordCases } from "./memberRecords.ts"
import type { MemberStoreContractPorts } from "./storedMembers.ts"

export type { MemberStoreContractPorts } from "./storedMembers.ts"

/** The contract of every store of people and members. */
export const memberStoreContract = <E>(adapter: string, adapterLayer: Layer.Layer<MemberStoreContractPorts, E>) =>
  describe(`member store over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      memberRecordCases(it)
      memberLoginCases(it)
    })
  })
