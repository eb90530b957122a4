/** Organization webhooks. Spec: Organization webhooks; Events. */
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication } from "./Authentication.ts"
import { Strict } from "./middleware.ts"
import { getDelivery, listDeliveries, readReplay, replayDelivery, startReplay } from "./webhookDeliveryEndpoints.ts"
import {
  deleteEndpoint,
  enableEndpoint,
  followEvents,
  getEndpoint,
  listEndpoints,
  registerEndpoint,
  rotateSecret,
  testEndpoint,
  updateEndpoint
} from "./webhookEndpoints.ts"

/** The group behind `/api/v1/org/webhooks`. */
export class WebhooksGroup extends HttpApiGroup.make("webhooks")
  .add(
    registerEndpoint,
    listEndpoints,
    followEvents,
    readReplay,
    getEndpoint,
    updateEndpoint,
    deleteEndpoint,
    rotateSecret,
    testEndpoint,
    enableEndpoint,
    startReplay,
    listDeliveries,
    getDelivery,
    replayDelivery
  )
  .middleware(Strict)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Organization webhooks")
  .annotate(OpenApi.Description, "Endpoints that receive signed, retried and replayable events") {}
