import { Egress } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import { EndpointInactive } from "../Endpoint.ts"
import { changeEndpoint, type UpdateEndpoint } from "./changeEndpoint.ts"
import { readEndpoint } from "./readEndpoint.ts"

/**
 * Changes an endpoint and returns it as it is then. Waiting deliveries go to the new URL; new kinds of events count for
 * events that are dispatched from now on. Disabling makes deliveries dead, the pending ones and those that come until the
 * endpoint is enabled again. Fails with UrlNotPublic, and as `changeEndpoint` does.
 */
export const updateEndpoint = useCase("webhooks.updateEndpoint")(function* (command: UpdateEndpoint) {
  const egress = yield* Egress
  const { url } = command.change
  // Before the URL is looked at, since another organization's endpoint is not found whatever is wrong with the change.
  const known = yield* readEndpoint(command)
  if (known.status === "deleted") return yield* new EndpointInactive({ status: known.status })
  if (url !== undefined && url !== known.url) yield* egress.admit(url, "webhooks")
  return yield* changeEndpoint(command)
})
