/** All domain services, assembled: only technology remains to be provided. */
import {
  type Analytics,
  type Billing,
  type CallLedger,
  type PriceBook,
  type PriceOverrideStore,
  type RollUpStore,
  type RollUpWorkerOptions,
  startRollUpWorker,
  type UsageCorrections,
  type UsageFeed,
  type UsageReadings
} from "@agent-platform/billing"
import { type ActivityFeed, Feeds, type NotificationFeed } from "@agent-platform/feeds"
import {
  type Egress,
  type EventLog,
  type FeedLog,
  type FingerprintKeyStore,
  Fingerprints,
  type Idempotency,
  type JobHistory,
  type JobQueue,
  type JobSource,
  type Outbox,
  type SecretBox,
  type Signals,
  type UnitOfWork
} from "@agent-platform/kernel"
import {
  type ApiKeyStore,
  type IdentityProvider,
  Keys,
  type LoginStore,
  Logins,
  type MemberStore,
  type PlatformKeys,
  type ProviderKeyStore,
  ProviderKeys,
  type ProviderProbe,
  type RateLimits,
  Tenancy,
  type TenancyStore
} from "@agent-platform/keys"
import {
  AgentRunner,
  type AgentStore,
  type CheckpointStore,
  type DemoMode,
  type HttpRecipeOptions,
  type InboundWebhookStore,
  makeDemo,
  makeHttpRecipe,
  type Recipe,
  type RecordKeyStore,
  type RunAcceptance,
  type RunLog,
  type RunOutcomes,
  type RunQueue,
  type RunReader,
  type RunSettlement,
  Runs,
  type RunWorkerOptions,
  type SessionRuns,
  type SessionStore,
  type SpendGuard,
  startRunWorker
} from "@agent-platform/runs"
import {
  type DeliveryPorts,
  type DeliveryWorkerOptions,
  type EndpointStore,
  type EventFeed,
  type ReplayStore,
  type ReplayWorkerOptions,
  startDeliveryWorker,
  startReplayWorker,
  Webhooks
} from "@agent-platform/webhooks"
import { Effect, Layer } from "effect"
import type { Digest, SecureRandom, Signature } from "effect/crypto"
import { layerAnalytics, layerRollUpBridges } from "./analyticsBridges.ts"
import { layerBilling, layerSpendGate, layerSpendGuard, layerWorkspaceSpend } from "./bridges.ts"
import * as Scheduler from "./Scheduler.ts"
import { WORKER_JOBS } from "./workerJobs.ts"

/** The ports that a storage technology fulfils. */
export type StoragePorts =
  | UnitOfWork
  | EventLog
  | Outbox
  | FeedLog
  | FingerprintKeyStore
  | Idempotency
  | JobHistory
  | Signals
  | ApiKeyStore
  | LoginStore
  | MemberStore
  | ProviderKeyStore
  | RateLimits
  | TenancyStore
  | AgentStore
  | CheckpointStore
  | InboundWebhookStore
  | RecordKeyStore
  | SessionStore
  | RunReader
  | RunAcceptance
  | RunQueue
  | RunSettlement
  | SessionRuns
  | RunLog
  | RunOutcomes
  | EndpointStore
  | DeliveryPorts
  | ReplayStore
  | EventFeed
  | CallLedger
  | PriceOverrideStore
  | RollUpStore
  | UsageCorrections
  | UsageFeed
  | UsageReadings
  | ActivityFeed
  | NotificationFeed

/** Cryptography. Effect's own layers over WebCrypto serve every runtime; a runtime's own may be faster. */
export type CryptoPorts = Digest.Digest | SecureRandom.SecureRandom | Signature.Signature

/** Every port that the services need. */
export type ServicePorts =
  | StoragePorts
  | CryptoPorts
  | JobQueue
  | SecretBox
  | Egress
  | IdentityProvider
  | ProviderProbe
  | PlatformKeys
  | PriceBook

/** Every port that the workers need: they take jobs and sign at once, and nobody logs in to them. */
export type WorkerPorts = Exclude<ServicePorts, IdentityProvider> | JobSource

/** Which recipes there are. */
export interface RecipeOptions {
  /** Registered beside the built-in ones. */
  readonly recipes?: ReadonlyArray<Recipe> | undefined
  /** How the built-in recipe `demo` plays its steps; it is not registered by default. */
  readonly demo?: DemoMode | "off" | undefined
}

/** The built-in recipes. */
export const builtInRecipes = ({
  demo = "off",
  ...http
}: HttpRecipeOptions & Pick<RecipeOptions, "demo"> = {}): Effect.Effect<
  ReadonlyArray<Recipe>,
  never,
  Egress | SecretBox | SpendGuard | SecureRandom.SecureRandom
> => Effect.all([...(demo === "off" ? [] : [makeDemo(demo)]), makeHttpRecipe(http)])

const layerRunner = ({ recipes = [], ...builtIn }: RecipeOptions & HttpRecipeOptions) =>
  Layer.unwrap(Effect.map(builtInRecipes(builtIn), (made) => AgentRunner.layer([...made, ...recipes]))).pipe(
    Layer.provide(layerSpendGuard)
  )

/** Every domain service, and the maker of fingerprints. */
export const layer = (
  options: RecipeOptions = {}
): Layer.Layer<
  Keys | Logins | ProviderKeys | Tenancy | Runs | Webhooks | Feeds | Billing | Analytics | Fingerprints,
  never,
  ServicePorts
> =>
  Layer.mergeAll(
    Keys.layer,
    Logins.layer,
    ProviderKeys.layer,
    Layer.provide(Tenancy.layer, layerWorkspaceSpend),
    Layer.provide(Runs.layer, layerSpendGate),
    Webhooks.layer,
    Feeds.layer,
    layerAnalytics
  ).pipe(Layer.provide(layerRunner(options)), Layer.provideMerge(Layer.merge(layerBilling, Fingerprints.layer)))

/**
 * The run worker, the delivery worker, the one for replays and the workers' jobs by the clock, from when the layer is built
 * until its scope closes. Closing drains them.
 */
export const layerWorkers = (
  options: RecipeOptions & {
    readonly runs?: Partial<RunWorkerOptions> | undefined
    readonly deliveries?: Partial<DeliveryWorkerOptions> | undefined
    readonly replays?: Partial<ReplayWorkerOptions> | undefined
    readonly rollUps?: Partial<RollUpWorkerOptions> | undefined
  } = {}
): Layer.Layer<never, never, WorkerPorts> =>
  Layer.mergeAll(
    Layer.effectDiscard(startRunWorker(options.runs)),
    Layer.effectDiscard(startDeliveryWorker(options.deliveries)),
    Layer.effectDiscard(startReplayWorker(options.replays)),
    Layer.provide(Layer.effectDiscard(startRollUpWorker(options.rollUps)), layerRollUpBridges),
    Layer.provide(Scheduler.layerOf(WORKER_JOBS), ProviderKeys.layer)
  ).pipe(
    Layer.provide(layerRunner({ ...options, headerPrefix: options.deliveries?.headerPrefix })),
    Layer.provide(layerBilling)
  )
