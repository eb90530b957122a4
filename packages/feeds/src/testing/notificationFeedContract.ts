import { describe, layer as suite } from "@effect/vitest"
import type { Layer } from "effect"
import type { NotificationFeedContractPorts } from "./givenNotices.ts"
import { countingCases } from "./noticesCounted.ts"
import { filingCases } from "./noticesFiled.ts"
import { forgettingCases } from "./noticesForgotten.ts"
import { readingCases } from "./noticesRead.ts"

export type { NotificationFeedContractPorts } from "./givenNotices.ts"

/** The contract of every feed of notifications. */
export const notificationFeedContract = <E>(
  adapter: string,
  adapterLayer: Layer.Layer<NotificationFeedContractPorts, E>
) =>
  describe(`notification feed over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      readingCases(it)
      filingCases(it)
      forgettingCases(it)
      countingCases(it)
    })
  })
