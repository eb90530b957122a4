import type { OrganizationCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import type { EndpointId } from "../Endpoint.ts"
import { changeEndpoint } from "./changeEndpoint.ts"

/**
 * Switches an endpoint on and returns it; one that is active stays as it is. Deliveries that died while it was disabled
 * stay dead until they are replayed. Fails as `changeEndpoint` does.
 */
export const enableEndpoint = useCase("webhooks.enableEndpoint")(function* (command: {
  readonly caller: OrganizationCaller
  readonly endpointId: EndpointId
}) {
  return yield* changeEndpoint({ ...command, change: { status: "active" } })
})
