/** Guards and ledgers that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { Effect } from "effect"
import { bite } from "../../../kernel/test/bite.ts"
import type { Fault } from "./spending.ts"
import { spendingSuite, TITLE } from "./spendingSuite.ts"

const fault = (name: string, broken: Fault) =>
  bite(name, () => spendingSuite("the money of runs", broken, { runs: 150, seed: 1 }), [TITLE])

fault("a guard that forgets what the provider counted", {
  guard: ({ settle }) => ({ settle: (call, end) => settle(call, { ...end, usage: undefined }) })
})

fault("a guard that takes all that was held for what an aborted call used", {
  guard: ({ settle }) => ({ settle: (call, end) => settle(call, { ...end, seen: undefined }) })
})

fault("a guard that takes an aborted call for one that was never sent", {
  guard: ({ settle }) => ({ settle: (call, end) => settle(call, { ...end, sent: end.status !== "aborted" }) })
})

fault("a guard that asks for more output tokens than were held", {
  guard: ({ reserve }) => ({
    reserve: (call) => Effect.map(reserve(call), () => ({ outputTokensMax: call.outputTokensMax }))
  })
})

fault("a ledger that keeps no cap", {
  ledger: ({ reserve }) => ({ reserve: (call) => reserve({ ...call, workspaceCapUsd: null }) })
})

fault("a ledger that keeps no cap of a run", {
  ledger: ({ reserve }) => ({ reserve: (call) => reserve({ ...call, runCapUsd: null }) })
})

fault("a ledger that says that all is spent when a call is refused", {
  ledger: ({ reserve }) => ({
    reserve: (call) =>
      Effect.map(reserve(call), (answer) =>
        answer._tag === "Refused" && answer.by === "workspace" && call.workspaceCapUsd !== null
          ? { ...answer, spend: { ...answer.spend, spentUsd: call.workspaceCapUsd } }
          : answer
      )
  })
})

fault("a ledger in which nothing expires", { ledger: () => ({ expired: () => Effect.succeed([]) }) })
