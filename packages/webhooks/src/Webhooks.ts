import type { Egress, Idempotency, SecretBox, Signals, UnitOfWork } from "@agent-platform/kernel"
import { Context, Effect, Layer } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { DeliveryStore } from "./ports/DeliveryStore.ts"
import type { EndpointStore } from "./ports/EndpointStore.ts"
import { listDeliveries } from "./use-cases/listDeliveries.ts"
import { listEndpoints } from "./use-cases/listEndpoints.ts"
import { registerEndpoint } from "./use-cases/registerEndpoint.ts"
import { replayDelivery } from "./use-cases/replayDelivery.ts"

/** What an embedder provides. The delivery worker needs more: `DeliveryWorkerPorts`. */
export type WebhooksPorts =
  | EndpointStore
  | DeliveryStore
  | Egress
  | Idempotency
  | SecretBox
  | SecureRandom.SecureRandom
  | Signals
  | UnitOfWork

const make = Effect.gen(function* () {
  const ports = yield* Effect.context<WebhooksPorts>()
  const bind =
    <Args extends ReadonlyArray<unknown>, A, E>(useCase: (...args: Args) => Effect.Effect<A, E, WebhooksPorts>) =>
    (...args: Args): Effect.Effect<A, E> =>
      Effect.provideContext(useCase(...args), ports)
  return {
    registerEndpoint: bind(registerEndpoint),
    listEndpoints: bind(listEndpoints),
    listDeliveries: bind(listDeliveries),
    replayDelivery: bind(replayDelivery)
  }
})

/** Organization webhooks: every use case, bound to its ports when the layer is built. */
export class Webhooks extends Context.Service<Webhooks, Effect.Success<typeof make>>()(
  "@agent-platform/webhooks/Webhooks"
) {
  static readonly layer: Layer.Layer<Webhooks, never, WebhooksPorts> = Layer.effect(Webhooks, make)
}
