/** Stores of runs that are broken on purpose in what runs cost, one fault each: a suite that lets a fault through fails here. */
import { Effect } from "effect"
import { runFault } from "./runFault.ts"

const SOMETHING = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 }

runFault(
  "a store that adds costs as floating point numbers",
  (store) => ({
    addUsage: (workspaceId, id, { costUsd, usage }) =>
      store.addUsage(workspaceId, id, { usage, costUsd: costUsd === null ? null : Number(costUsd).toFixed(6) })
  }),
  ["adds up the tokens and the cost of a run's model calls, to the last decimal"]
)

runFault(
  "a store that counts a call twice",
  (store) => ({
    addUsage: (workspaceId, id, added) =>
      Effect.andThen(
        store.addUsage(workspaceId, id, added),
        store.addUsage(workspaceId, id, { usage: SOMETHING, costUsd: null })
      )
  }),
  [
    "adds up the tokens and the cost of a run's model calls, to the last decimal",
    "counts a call whose price nobody knows, without a cost",
    "adds up calls that end at the same moment",
    "keeps what a run has cost when its outcome is written from an older copy, and reports it to its holder",
    "lets a run that has ended become dearer, and nothing else of it change"
  ]
)

runFault(
  "a store that adds no more to a run that has ended",
  (store) => ({
    addUsage: (workspaceId, id, added) =>
      Effect.flatMap(store.find(workspaceId, id), (run) =>
        run?.finishedAt === null ? store.addUsage(workspaceId, id, added) : Effect.void
      )
  }),
  ["lets a run that has ended become dearer, and nothing else of it change"]
)

runFault(
  "a store that never reports the cost of a run to its holder",
  (store) => ({
    hold: (claims) =>
      Effect.map(
        store.hold(claims),
        (held) => new Map([...held].map(([id, facts]) => [id, { ...facts, costUsd: "0.00" }]))
      )
  }),
  ["keeps what a run has cost when its outcome is written from an older copy, and reports it to its holder"]
)
