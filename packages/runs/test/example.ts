import { OrganizationId, WorkspaceId } from "@agent-platform/kernel"
import { layer as kernelMemory } from "@agent-platform/kernel/memory"
import { AgentRunner, makeDemo, Runs, SpendGate, SpendGuard, startRunWorker } from "@agent-platform/runs"
import { layer as runsMemory } from "@agent-platform/runs/memory"
import { Effect, Layer, ManagedRuntime } from "effect"

// Everything in memory, in this process, and nothing costs anything. Other layers put storage, recipes and prices of your
// own in their place.
const recipes = Layer.unwrap(Effect.map(makeDemo("full"), (demo) => AgentRunner.layer([demo])))
const inMemory = Layer.mergeAll(Runs.layer, Layer.effectDiscard(startRunWorker())).pipe(
  Layer.provide(recipes),
  Layer.provide(Layer.merge(SpendGuard.layerUnmetered, SpendGate.layerOpen)),
  Layer.provideMerge(Layer.provideMerge(runsMemory, kernelMemory))
)
const runtime = ManagedRuntime.make(inMemory)

// Who asks, and for which workspace: your service knows.
const caller = {
  organizationId: OrganizationId.make("01a1fd50-ceeb-745b-8b02-bf48380265e2"),
  workspaceId: WorkspaceId.make("01a1fd50-ceeb-745b-8b02-bf49d85f268d"),
  actor: { type: "user", id: "ada", label: "Ada" }
} as const

/** Makes an agent, triggers a run, waits for its end and reads its log. From here on plain promises. */
export const main = async () => {
  const { value: created } = await runtime.runPromise(
    Runs.use((runs) => runs.createAgent({ caller, name: "Greeter", recipe: "demo" }))
  )
  const { value: run } = await runtime.runPromise(
    Runs.use((runs) => runs.triggerRun({ caller, agentId: created.agent.id, prompt: "Hello" }))
  )
  const ended = await runtime.runPromise(Runs.use((runs) => runs.readRun({ caller, runId: run.id, waitSeconds: 10 })))
  const log = await runtime.runPromise(
    Runs.use((runs) => runs.readRunLog({ caller, runId: run.id, after: 0, limit: 50 }))
  )
  await runtime.dispose()
  return [ended.status, ended.message, log.items.length]
}
