/** Stores whose faults show only when things happen in an unlucky order: the model's suite finds each of them. */
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { Runs } from "@agent-platform/runs"
import { layer as stores } from "@agent-platform/runs/memory"
import { runModelContract } from "@agent-platform/runs/testing"
import { Effect, Layer } from "effect"
import { bite } from "../../kernel/test/bite.ts"
import { breakRuns, type Runs as Store } from "./breakRuns.ts"
import { layerRecipes } from "./support.ts"

const fault = (name: string, broken: (store: Store) => Partial<Store>) => {
  const layer = breakRuns(broken).pipe(Layer.provideMerge(stores))
  const domain = Runs.layer.pipe(
    Layer.provideMerge(layerRecipes()),
    Layer.provideMerge(Layer.provideMerge(layer, kernel)),
    Layer.merge(Tenants.layerUnfounded),
    Layer.fresh
  )
  bite(name, () => runModelContract("a broken store", domain, { runs: 150, seed: 1 }), [
    "are what the model says, after every act of callers, workers and their late writes"
  ])
}

fault("a store that lets an outcome pass a cancellation by", (store) => ({
  hold: (claims) =>
    Effect.map(
      store.hold(claims),
      (held) => new Map([...held].map(([id, facts]) => [id, { ...facts, cancelRequestedAt: null }]))
    )
}))

fault("a store that takes a late answer", (store) => ({
  answer: (id, by) => Effect.as(store.answer(id, by), true),
  find: (workspaceId, id) =>
    Effect.map(store.find(workspaceId, id), (run) => run && { ...run, questionCancelledAt: null })
}))

fault("a store that takes every claim for the present one", (store) => {
  const present = new Map<string, string>()
  const current = (runId: string, claimToken: string | null) =>
    claimToken === null ? null : (present.get(runId) ?? claimToken)
  return {
    claim: (request) =>
      Effect.tap(store.claim(request), ({ claimed }) =>
        Effect.sync(() => {
          for (const { claimToken, run } of claimed) present.set(run.id, claimToken)
        })
      ),
    hold: (claims) => store.hold(claims.map((one) => ({ ...one, claimToken: current(one.runId, one.claimToken) }))),
    settle: (all) => store.settle(all.map((one) => ({ ...one, claimToken: current(one.run.id, one.claimToken) })))
  }
})

fault("a store that forgets the first in line", (store) => ({
  holdUnfinished: (sessionId, max, before) =>
    Effect.map(store.holdUnfinished(sessionId, max, before), (held) => held.slice(1))
}))
