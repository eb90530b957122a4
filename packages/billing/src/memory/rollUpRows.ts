import { MemoryDatabase } from "@agent-platform/kernel/memory"
import { DateTime, Effect } from "effect"
import type { KeptMonth } from "../ports/RollUpStore.ts"
import type { DayDelta, LatencyDelta, OutcomeDelta, RollUpState, UsageDelta } from "../RollUp.ts"

/** How far the roll-ups of a `MemoryDatabase` have come, and when a batch was last made. */
export interface StateRow {
  readonly state: RollUpState
  readonly triedAt: DateTime.Utc
}

/** The state before anything is rolled up. */
export const NO_STATE: RollUpState = {
  calls: undefined,
  corrections: undefined,
  runs: undefined,
  asOf: DateTime.makeUnsafe(0),
  sample: undefined
}

/** The roll-ups of a `MemoryDatabase`. */
export const rollUpRows = Effect.map(MemoryDatabase, (database) => ({
  states: database.table<StateRow>("roll_up_state"),
  months: database.table<KeptMonth>("billing_month"),
  usage: database.table<UsageDelta>("usage_roll_up"),
  outcomes: database.table<OutcomeDelta>("outcome_roll_up"),
  latencies: database.table<LatencyDelta>("latency_roll_up"),
  days: database.table<DayDelta>("billing_day")
}))
