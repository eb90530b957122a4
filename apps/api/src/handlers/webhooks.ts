import { Api } from "@agent-platform/contract"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { makeDeliveryHandlers } from "./webhookDeliveries.ts"
import { makeEndpointHandlers } from "./webhookEndpoints.ts"
import { makeFollowEventsHandler } from "./webhookStream.ts"

/** Organization webhooks. */
export const layerWebhooks = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    return handlers.handleAll({
      ...(yield* makeEndpointHandlers),
      ...(yield* makeDeliveryHandlers),
      followEvents: yield* makeFollowEventsHandler
    })
  })
)
