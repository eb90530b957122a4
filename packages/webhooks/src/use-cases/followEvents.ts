import type { OrganizationCaller } from "@agent-platform/kernel"
import { useCase } from "@agent-platform/toolkit"
import type { FollowerPlace } from "../FollowerPlace.ts"
import { EventHub } from "../worker/EventHub.ts"

/**
 * The organization's events as they are published, from now on or from where the caller was, each with the bytes that
 * deliveries send. The stream has no end of its own; one that is read too slowly ends, and is taken up where it was.
 * Fails with EventUnknown when `from` is no place that can be gone on from.
 */
export const followEvents = useCase("webhooks.followEvents")(function* (query: {
  readonly caller: OrganizationCaller
  readonly from: FollowerPlace | undefined
}) {
  const hub = yield* EventHub
  return yield* hub.follow(query.caller.organizationId, query.from)
})
