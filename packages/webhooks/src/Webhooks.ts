import {
  Egress,
  EventLog,
  FeedLog,
  Idempotency,
  JobQueue,
  Outbox,
  Quotas,
  SecretBox,
  Signals,
  UnitOfWork
} from "@agent-platform/kernel"
import { makeBind } from "@agent-platform/toolkit"
import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { ActiveEndpointsMax } from "./Endpoint.ts"
import { DeliveryLifecycle } from "./ports/DeliveryLifecycle.ts"
import { DeliveryRecords } from "./ports/DeliveryRecords.ts"
import { DeliverySettlement } from "./ports/DeliverySettlement.ts"
import { EndpointHealthStore } from "./ports/EndpointHealthStore.ts"
import { EndpointStore } from "./ports/EndpointStore.ts"
import { EventFeed } from "./ports/EventFeed.ts"
import { ReplayStore } from "./ports/ReplayStore.ts"
import { deleteEndpoint } from "./use-cases/deleteEndpoint.ts"
import { enableEndpoint } from "./use-cases/enableEndpoint.ts"
import { listDeliveries } from "./use-cases/listDeliveries.ts"
import { listEndpoints } from "./use-cases/listEndpoints.ts"
import { listReplays } from "./use-cases/listReplays.ts"
import { readDelivery } from "./use-cases/readDelivery.ts"
import { readEndpoint } from "./use-cases/readEndpoint.ts"
import { readReplay } from "./use-cases/readReplay.ts"
import { registerEndpoint } from "./use-cases/registerEndpoint.ts"
import { replayDelivery } from "./use-cases/replayDelivery.ts"
import { rotateSecret } from "./use-cases/rotateSecret.ts"
import { sendTestEvent } from "./use-cases/sendTestEvent.ts"
import { startReplay } from "./use-cases/startReplay.ts"
import { updateEndpoint } from "./use-cases/updateEndpoint.ts"
import { makeEventHub } from "./worker/EventHub.ts"

const PORTS = [
  ActiveEndpointsMax,
  EndpointStore,
  EndpointHealthStore,
  DeliverySettlement,
  DeliveryRecords,
  DeliveryLifecycle,
  ReplayStore,
  EventFeed,
  Egress,
  EventLog,
  FeedLog,
  Idempotency,
  JobQueue,
  Outbox,
  Quotas,
  SecretBox,
  SecureRandom.SecureRandom,
  Signals,
  UnitOfWork
] as const

/**
 * The ports that an embedder provides; `Quotas` and `ActiveEndpointsMax` have defaults. The workers need more: `DeliveryWorkerPorts` and
 * `ReplayWorkerPorts`.
 */
export type WebhooksPorts = (typeof PORTS)[number]["Identifier"]

const make = Effect.gen(function* () {
  const bind = yield* makeBind(...PORTS)
  const hub = yield* makeEventHub
  return {
    registerEndpoint: bind(registerEndpoint),
    listEndpoints: bind(listEndpoints),
    listReplays: bind(listReplays),
    readEndpoint: bind(readEndpoint),
    updateEndpoint: bind(updateEndpoint),
    enableEndpoint: bind(enableEndpoint),
    deleteEndpoint: bind(deleteEndpoint),
    rotateSecret: bind(rotateSecret),
    sendTestEvent: bind(sendTestEvent),
    listDeliveries: bind(listDeliveries),
    readDelivery: bind(readDelivery),
    replayDelivery: bind(replayDelivery),
    startReplay: bind(startReplay),
    readReplay: bind(readReplay),
    followEvents: hub.follow
  }
})

/** Organization webhooks: every use case, bound to its ports when the layer is built. */
export class Webhooks extends Context.Service<Webhooks, Effect.Success<typeof make>>()(
  "@agent-platform/webhooks/Webhooks"
) {
  static readonly layer: Layer.Layer<Webhooks, never, WebhooksPorts> = Layer.effect(Webhooks, make)
}
