import type { UnitOfWork } from "@agent-platform/kernel"
import type { Tenants } from "@agent-platform/kernel/testing"
import { describe, layer as suite } from "@effect/vitest"
import type { Layer } from "effect"
import type { CallLedger } from "../ports/CallLedger.ts"
import type { BilledRuns } from "./BilledRuns.ts"
import { monthMarkCases } from "./monthMarks.ts"
import { reservationCases } from "./reservations.ts"
import { settlementCases } from "./settlements.ts"

/** The ports of the ledger's suite. */
export type LedgerPorts = CallLedger | UnitOfWork | Tenants | BilledRuns

/** The contract of every ledger of model calls. */
export const callLedgerContract = <E>(adapter: string, adapterLayer: Layer.Layer<LedgerPorts, E>) =>
  describe(`call ledger over ${adapter}`, () => {
    suite(adapterLayer, { excludeTestServices: true })((it) => {
      reservationCases(it)
      settlementCases(it)
      monthMarkCases(it)
    })
  })
