import { Egress } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { EndpointInactive } from "../Endpoint.ts"
import { changeEndpoint, type UpdateEndpoint } from "./changeEndpoint.ts"
import { readEndpoint } from "./readEndpoint.ts"

/**
 * Changes an endpoint, and answers it as it is then. Deliveries that wait go to the new URL; the kinds of events hold for
 * what is dispatched from now on. Disabling makes pending deliveries dead, and what comes until it is enabled again.
 * Fails with UrlNotPublic, and as `changeEndpoint` does.
 */
export const updateEndpoint = useCase("webhooks.updateEndpoint")(function* (command: UpdateEndpoint) {
  const egress = yield* Egress
  const { url } = command.change
  // Whose endpoint it is comes before what is wrong with the change.
  const known = yield* readEndpoint(command)
  if (known.status === "deleted") return yield* new EndpointInactive({ status: known.status })
  if (url !== undefined && url !== known.url) yield* egress.admit(url, "webhooks")
  return yield* changeEndpoint(command)
})
