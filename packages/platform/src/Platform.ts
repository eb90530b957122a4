/** All domain services, assembled: what remains to be provided is technology. */
import type {
  Egress,
  EventLog,
  FeedLog,
  Idempotency,
  JobQueue,
  JobSource,
  SecretBox,
  Signals,
  UnitOfWork
} from "@agent-platform/kernel"
import { type ApiKeyStore, Keys, type TenancyStore } from "@agent-platform/keys"
import {
  AgentRunner,
  type AgentStore,
  demo,
  type HttpRecipeOptions,
  type InboundWebhookStore,
  makeHttpRecipe,
  type Recipe,
  type RecordKeyStore,
  type RunLog,
  type RunStore,
  Runs,
  type RunWorkerOptions,
  type SessionStore,
  startRunWorker
} from "@agent-platform/runs"
import {
  type DeliveryStore,
  type DeliveryWorkerOptions,
  type EndpointStore,
  startDeliveryWorker,
  Webhooks
} from "@agent-platform/webhooks"
import { Effect, Layer } from "effect"
import type { Digest, Mac, SecureRandom, Signature } from "effect/crypto"

/** The ports that a storage technology fulfils. */
export type StoragePorts =
  | UnitOfWork
  | EventLog
  | FeedLog
  | Idempotency
  | Signals
  | ApiKeyStore
  | TenancyStore
  | AgentStore
  | InboundWebhookStore
  | RecordKeyStore
  | SessionStore
  | RunStore
  | RunLog
  | EndpointStore
  | DeliveryStore

/** Cryptography. Effect's own layers over WebCrypto serve every runtime; a runtime's own may be faster. */
export type CryptoPorts = Digest.Digest | Mac.Mac | SecureRandom.SecureRandom | Signature.Signature

/** Every port that the services need. */
export type ServicePorts = StoragePorts | CryptoPorts | JobQueue | SecretBox | Egress

/** Every port that the workers need: they take jobs, too. */
export type WorkerPorts = ServicePorts | JobSource

/** The recipes that every deployment has. */
export const builtInRecipes = (
  options: HttpRecipeOptions = {}
): Effect.Effect<ReadonlyArray<Recipe>, never, Egress | Mac.Mac | SecretBox> =>
  Effect.map(makeHttpRecipe(options), (http) => [demo, http])

const layerRunner = (recipes: ReadonlyArray<Recipe> | undefined, options?: HttpRecipeOptions) =>
  Layer.unwrap(Effect.map(builtInRecipes(options), (builtIn) => AgentRunner.layer([...builtIn, ...(recipes ?? [])])))

/** Every domain service. `recipes` are registered beside the built-in ones. */
export const layer = (
  options: { readonly recipes?: ReadonlyArray<Recipe> | undefined } = {}
): Layer.Layer<Keys | Runs | Webhooks, never, ServicePorts> =>
  Layer.mergeAll(Keys.layer, Runs.layer, Webhooks.layer).pipe(Layer.provide(layerRunner(options.recipes)))

/** The run worker and the delivery worker, from when the layer is built until its scope closes, which drains them. */
export const layerWorkers = (
  options: {
    readonly recipes?: ReadonlyArray<Recipe> | undefined
    readonly runs?: Partial<RunWorkerOptions> | undefined
    readonly deliveries?: Partial<DeliveryWorkerOptions> | undefined
  } = {}
): Layer.Layer<never, never, WorkerPorts> =>
  Layer.mergeAll(
    Layer.effectDiscard(startRunWorker(options.runs)),
    Layer.effectDiscard(startDeliveryWorker(options.deliveries))
  ).pipe(Layer.provide(layerRunner(options.recipes, { headerPrefix: options.deliveries?.headerPrefix })))
