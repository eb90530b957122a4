/** Stores of checkpoints that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import type { WorkspaceId } from "@agent-platform/kernel"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { AgentStore, CheckpointStore } from "@agent-platform/runs"
import { layer as stores } from "@agent-platform/runs/memory"
import { agentChangesContract, checkpointStoreContract } from "@agent-platform/runs/testing"
import { Effect, Layer, type Schema } from "effect"
import { bite } from "../../kernel/test/bite.ts"

type Store = CheckpointStore["Service"]

const memory = Layer.merge(Layer.provideMerge(stores, kernel), Tenants.layerUnfounded)

const fault = (name: string, broken: (store: Store) => Partial<Store>, caughtBy: ReadonlyArray<string>) => {
  const layer = Layer.effect(
    CheckpointStore,
    CheckpointStore.use((store) => Effect.succeed({ ...store, ...broken(store) }))
  )
  bite(name, () => checkpointStoreContract("a broken store", Layer.provideMerge(layer, Layer.fresh(memory))), caughtBy)
}

const LOST = "saves nothing under a claim that is lost, and says so"
const REMOVES = "removes those of ended runs that no session keeps, and no other, whether there are any or not"
const RECALLS = "recalls what the session has kept of the last run before this one, of the same agent and recipe"
const LAST = "keeps that of a session's last run alone"
const ASKED = "keeps that of a question until it is cancelled, or the run that answers it has ended"
const ENDED = "saves nothing for a run that has ended"

fault(
  "a store that says that it has saved whatever it was given",
  ({ save }) => ({ save: (checkpoint) => Effect.as(save(checkpoint), true) }),
  [LOST, ENDED]
)

fault(
  "a store that does not look at claims",
  ({ load }) => {
    const states = new Map<string, Schema.Json>()
    return {
      save: ({ run, state }) => Effect.sync(() => states.set(run.id, state)).pipe(Effect.as(true)),
      load: (workspaceId, runId) => Effect.map(load(workspaceId, runId), (found) => states.get(runId) ?? found)
    }
  },
  [
    LOST,
    ENDED,
    "saves nothing of a transaction that fails",
    "shows a checkpoint to its own workspace alone",
    REMOVES,
    RECALLS,
    LAST,
    ASKED
  ]
)

fault(
  "a store that keeps what was saved first",
  ({ load, save }) => ({
    save: (checkpoint) =>
      Effect.flatMap(load(checkpoint.run.workspaceId, checkpoint.run.id), (found) =>
        found === undefined ? save(checkpoint) : Effect.succeed(true)
      )
  }),
  ["gives back what was saved last, character by character", LOST]
)

fault(
  "a store that finds checkpoints by their run alone",
  ({ load, save }) => {
    const owners = new Map<string, WorkspaceId>()
    return {
      save: (checkpoint) => {
        owners.set(checkpoint.run.id, checkpoint.run.workspaceId)
        return save(checkpoint)
      },
      load: (workspaceId, runId) => load(owners.get(runId) ?? workspaceId, runId)
    }
  },
  ["shows a checkpoint to its own workspace alone"]
)

fault("a store that removes nothing", () => ({ removeSpent: () => Effect.void }), [REMOVES, LAST, ASKED])

fault(
  "a store of which no session keeps anything",
  ({ save }) => ({ save: (checkpoint) => save({ ...checkpoint, kept: false }) }),
  [RECALLS, LAST, ASKED]
)

fault(
  "a store of which every session keeps everything",
  ({ save }) => ({ save: (checkpoint) => save({ ...checkpoint, kept: true }) }),
  [REMOVES, "recalls nothing that its session does not keep", ASKED]
)

fault(
  "a store that recalls the state of whatever run of the session",
  ({ recall }) => {
    let last: Schema.Json | undefined
    return {
      recall: (run) =>
        Effect.map(recall(run), (found) => {
          last = found ?? last
          return last
        })
    }
  },
  [RECALLS, "recalls nothing that its session does not keep"]
)

bite("a store that lets archived agents be counted on", () => {
  const layer = Layer.effect(
    AgentStore,
    AgentStore.use((store) =>
      Effect.succeed({
        ...store,
        holdLive: (asked) => Effect.forEach(asked, ({ id, workspaceId }) => store.recall(workspaceId, id))
      })
    )
  )
  return agentChangesContract("a broken store", Layer.provideMerge(layer, Layer.fresh(memory)))
}, [
  "keeps an agent from being archived while somebody counts on its living",
  "holds several living agents of several workspaces at once, each in its place"
])
