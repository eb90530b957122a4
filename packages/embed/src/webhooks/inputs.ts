/** Checks of those inputs that the domain takes from its callers without a check. */
import { EventId } from "@agent-platform/kernel"
import { EndpointId, ReplayId } from "@agent-platform/webhooks"
import { invalid, makeIdReader, readText } from "../internal/inputs.ts"
import { NO_DELIVERY, NO_ENDPOINT, NO_REPLAY } from "./errors.ts"

const DESCRIPTION_LENGTH_MAX = 1_000
const SUBSCRIBED_MAX = 100

export const readEndpointId = makeIdReader(EndpointId, NO_ENDPOINT)

export const readEventId = makeIdReader(EventId, NO_DELIVERY)

export const readReplayId = makeIdReader(ReplayId, NO_REPLAY)

export const readUrl = (url: unknown): string => {
  if (typeof url === "string") return url
  throw invalid("url is the https URL of an endpoint, as a text")
}

export const readDescription = (description: string | null): string | null =>
  description === null ? null : readText("description", description, 0, DESCRIPTION_LENGTH_MAX)

export const readSubscribed = (types: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (Array.isArray(types) && types.length <= SUBSCRIBED_MAX) return types
  throw invalid(`eventTypes is a list of at most ${SUBSCRIBED_MAX} event types; an empty one subscribes to all`)
}
