import { atomic, type WorkspaceCaller } from "@agent-platform/kernel"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { aCaller } from "@agent-platform/kernel/testing"
import {
  type Agent,
  AgentRunner,
  AgentStore,
  isTerminal,
  makeDemo,
  type Recipe,
  type Run,
  RunReader,
  Runs,
  SpendGate,
  SpendGuard
} from "@agent-platform/runs"
import { layer as stores } from "@agent-platform/runs/memory"
import { anAgent, aTrigger } from "@agent-platform/runs/testing"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

/** `demo` and these recipes, in a deployment where nothing costs anything and no cap is kept. */
export const layerRecipes = (...recipes: ReadonlyArray<Recipe>) =>
  Layer.unwrap(Effect.map(makeDemo("full"), (demo) => AgentRunner.layer([demo, ...recipes]))).pipe(
    Layer.provideMerge(Layer.merge(SpendGuard.layerUnmetered, SpendGate.layerOpen))
  )

/** The whole domain over memory, with these recipes beside `demo`. */
export const memory = (...recipes: ReadonlyArray<Recipe>) =>
  Runs.layer.pipe(
    Layer.provideMerge(layerRecipes(...recipes)),
    Layer.provideMerge(Layer.provideMerge(stores, kernel)),
    Layer.fresh
  )

/** An agent that is stored, in a workspace of its own unless a caller is given. */
export const aStoredAgent = (override: Partial<Agent> = {}, caller: WorkspaceCaller = aCaller()) =>
  Effect.gen(function* () {
    const agents = yield* AgentStore
    const agent = anAgent(caller, override)
    yield* atomic(agents.insert(agent))
    return { caller, agent }
  })

/** Triggers a run of the agent. */
export const trigger = (
  of: { readonly caller: WorkspaceCaller; readonly agent: Agent },
  override: Parameters<typeof aTrigger>[2] = {}
) => Runs.use((runs) => Effect.map(runs.triggerRun(aTrigger(of.caller, of.agent, override)), ({ value }) => value))

/** The run once it has ended. */
export const ended = (caller: WorkspaceCaller, runId: Effect.Success<ReturnType<typeof trigger>>["id"]) =>
  Effect.gen(function* () {
    const runs = yield* Runs
    const run = yield* runs.readRun({ caller, runId, waitSeconds: 30 })
    if (!isTerminal(run)) return yield* Effect.die(new Error(`The run is still ${run.status}`))
    return run
  })

/** The run once it has ended, by a clock that stands still otherwise: before anything that is tried again a second later. */
export const soon = Effect.fnUntraced(function* (run: Pick<Run, "id" | "workspaceId">) {
  const find = RunReader.use((store) => store.find(run.workspaceId, run.id))
  for (let steps = 0; steps < 60; steps++) {
    yield* TestClock.adjust("10 millis")
    const found = yield* find
    if (found !== undefined && isTerminal(found)) return found
  }
  return yield* Effect.die(new Error("The run has not ended"))
})
