/** Stores that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { type Replay, ReplayStore } from "@agent-platform/webhooks"
import { layer as stores } from "@agent-platform/webhooks/memory"
import { replayStoreContract } from "@agent-platform/webhooks/testing"
import { Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"

const memory = Layer.mergeAll(stores, Tenants.layerUnfounded).pipe(Layer.provideMerge(kernel))

type Replays = ReplayStore["Service"]

const replayFault = (fault: string, broken: (store: Replays) => Partial<Replays>, caughtBy: ReadonlyArray<string>) => {
  const layer = Layer.effect(
    ReplayStore,
    Effect.map(ReplayStore, (store) => ({ ...store, ...broken(store) }))
  )
  bite(fault, () => replayStoreContract("a broken store", Layer.provideMerge(layer, memory)), caughtBy)
}

replayFault(
  "a store that looks for replays by their id alone",
  (store) => {
    const owners = new Map<string, Replay["organizationId"]>()
    return {
      insert: (replay) => {
        owners.set(replay.id, replay.organizationId)
        return store.insert(replay)
      },
      find: (organizationId, id) => store.find(owners.get(id) ?? organizationId, id)
    }
  },
  ["finds nothing under another organization or an unknown id"]
)

replayFault("a store that counts what has ended", () => ({ countUnfinished: () => Effect.succeed(4) }), [
  "counts the replays of one endpoint that have not ended"
])

replayFault(
  "a store that writes at once, whatever becomes of the transaction",
  (store) => {
    const late = new Map<string, Replay>()
    return {
      replace: (replay) => Effect.sync(() => void late.set(replay.id, replay)),
      find: (organizationId, id) => Effect.map(store.find(organizationId, id), (found) => late.get(id) ?? found)
    }
  },
  ["keeps nothing of a transaction that fails", "lets ten steps at once each see what the one before it made"]
)

replayFault("a store that forgets none of the replays that it counts", () => ({ prune: () => Effect.succeed(1) }), [
  "forgets replays that ended before a time, so many at once, and none that has not ended"
])
