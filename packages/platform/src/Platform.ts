/** Assembles all domain services; only adapters remain to be provided. */
import { type RollUpWorkerOptions, startRollUpWorker } from "@agent-platform/billing"
import { Feeds } from "@agent-platform/feeds"
import { Fingerprints } from "@agent-platform/kernel"
import { Keys, Logins, ProviderKeys, Tenancy, ToolSecrets } from "@agent-platform/keys"
import {
  AgentRunner,
  type DemoMode,
  type HttpRecipeOptions,
  makeDemo,
  makeHttpRecipe,
  type Recipe,
  Runs,
  type RunWorkerOptions,
  Schedules,
  startRunWorker
} from "@agent-platform/runs"
import {
  type DeliveryWorkerOptions,
  type ReplayWorkerOptions,
  startDeliveryWorker,
  startReplayWorker,
  Webhooks
} from "@agent-platform/webhooks"
import { Effect, Layer } from "effect"
import { layerAnalytics, layerRollUpBridges } from "./analyticsBridges.ts"
import { layerBilling, layerSpendGate, layerSpendGuard, layerStartSubscribers, layerWorkspaceSpend } from "./bridges.ts"
import { Erasures } from "./erasure/Erasures.ts"
import { type ErasureWorkerOptions, startErasureWorker } from "./erasure/ErasureWorker.ts"
import * as Scheduler from "./Scheduler.ts"
import { layerWorkspaceSetup } from "./templates/layerWorkspaceSetup.ts"
import { type SpreadWorkerOptions, startSpreadWorker } from "./templates/SpreadWorker.ts"
import { Templates } from "./templates/Templates.ts"
import { WORKER_JOBS } from "./workerJobs.ts"

/** The names of the platform's own recipes, whether a deployment has them all or not. */
export const OWN_RECIPES: ReadonlyArray<string> = ["chat", "demo", "http"]

/** The recipes of the deployment. */
export interface RecipeOptions {
  /** Recipes in addition to the built-in ones. */
  readonly recipes?: ReadonlyArray<Recipe> | undefined
  /** The steps that the built-in recipe `demo` executes; "off", the default, does not register it. */
  readonly demo?: DemoMode | "off" | undefined
}

/** The built-in recipes. */
export const builtInRecipes = ({ demo = "off", ...http }: HttpRecipeOptions & Pick<RecipeOptions, "demo"> = {}) =>
  Effect.all([...(demo === "off" ? [] : [makeDemo(demo)]), makeHttpRecipe(http)])

const layerRunner = ({ baseUrl, demo, headerPrefix, recipes = [] }: RecipeOptions & HttpRecipeOptions) =>
  Layer.unwrap(
    Effect.map(builtInRecipes({ baseUrl, demo, headerPrefix }), (made) => AgentRunner.layer([...made, ...recipes]))
  ).pipe(Layer.provide(layerSpendGuard))

/** Every domain service, and `Fingerprints`. */
export const layer = (options: RecipeOptions = {}) =>
  Layer.mergeAll(
    Keys.layer,
    Logins.layer,
    ProviderKeys.layer,
    ToolSecrets.layer,
    Layer.provide(Tenancy.layer, Layer.merge(layerWorkspaceSpend, layerWorkspaceSetup)),
    Layer.provide(Layer.merge(Runs.layer, Schedules.layer), Layer.merge(layerSpendGate, layerSpendGuard)),
    Webhooks.layer,
    Feeds.layer,
    Erasures.layer,
    Templates.layer,
    layerAnalytics
  ).pipe(Layer.provide(layerRunner(options)), Layer.provideMerge(Layer.merge(layerBilling, Fingerprints.layer)))

/** Every port that the services need. */
export type ServicePorts = Layer.Services<ReturnType<typeof layer>>

/**
 * The workers for runs, deliveries, replays, erasures and roll-ups, and the workers' jobs by the clock. They work from when the layer is
 * built until its scope closes, which drains them.
 */
export const layerWorkers = (
  options: RecipeOptions & {
    /** Where agents of one's own call the platform; unless it is given they are offered neither gateway nor callback. */
    readonly baseUrl?: string | null | undefined
    readonly runs?: Partial<RunWorkerOptions> | undefined
    readonly deliveries?: Partial<DeliveryWorkerOptions> | undefined
    readonly replays?: Partial<ReplayWorkerOptions> | undefined
    readonly erasures?: Partial<ErasureWorkerOptions> | undefined
    readonly rollUps?: Partial<RollUpWorkerOptions> | undefined
    readonly templates?: Partial<SpreadWorkerOptions> | undefined
  } = {}
) =>
  Layer.mergeAll(
    Layer.provide(Layer.effectDiscard(startRunWorker(options.runs)), layerStartSubscribers),
    Layer.effectDiscard(startDeliveryWorker(options.deliveries)),
    Layer.effectDiscard(startReplayWorker(options.replays)),
    Layer.effectDiscard(startErasureWorker(options.erasures)),
    Layer.effectDiscard(startSpreadWorker(options.templates)),
    Layer.provide(Layer.effectDiscard(startRollUpWorker(options.rollUps)), layerRollUpBridges),
    Layer.provide(Scheduler.layerOf(WORKER_JOBS), [ProviderKeys.layer, Layer.provide(Schedules.layer, layerSpendGate)])
  ).pipe(
    Layer.provide(layerRunner({ ...options, headerPrefix: options.deliveries?.headerPrefix })),
    Layer.provide(layerBilling)
  )
