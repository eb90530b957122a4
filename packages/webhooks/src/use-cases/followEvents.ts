import type { EventId, OrganizationCaller } from "@agent-platform/kernel"
import { Effect } from "effect"
import { EventHub } from "../EventHub.ts"

/**
 * The organization's events as they are published, from now on or after the one seen last, each with the bytes that
 * deliveries send. The stream has no end of its own; one that is read too slowly ends, and is taken up where it was.
 * Fails with EventUnknown when `lastSeen` is not an event of the organization that can be gone on from.
 */
export const followEvents = Effect.fn("webhooks.followEvents")(function* (query: {
  readonly caller: OrganizationCaller
  readonly lastSeen: EventId | undefined
}) {
  const hub = yield* EventHub
  return yield* hub.follow(query.caller.organizationId, query.lastSeen)
})
