/** Checks of inputs, as far as the domain trusts its callers. */
import { EventId, parseId } from "@agent-platform/kernel"
import { EndpointId, ReplayId } from "@agent-platform/webhooks"
import { EmbedError } from "../internal/EmbedError.ts"
import { invalid } from "../internal/inputs.ts"
import { unkept } from "../internal/tenant.ts"

const DESCRIPTION_LENGTH_MAX = 1_000
const SUBSCRIBED_MAX = 100

const notFound = (what: string, owner: string, code: string) =>
  new EmbedError(code, `The ${owner} has no ${what} of this id`)

export const readEndpointId = (id: string): EndpointId => {
  const read = parseId(EndpointId, id)
  if (read === undefined) throw notFound("endpoint", "tenant", "endpoint_not_found")
  return read
}

export const readEventId = (id: string): EventId => {
  const read = parseId(EventId, id)
  if (read === undefined) throw new EmbedError("delivery_not_found", "The endpoint has no delivery of this event")
  return read
}

export const readReplayId = (id: string): ReplayId => {
  const read = parseId(ReplayId, id)
  if (read === undefined) throw notFound("replay", "tenant", "replay_not_found")
  return read
}

export const readUrl = (url: unknown): string => {
  if (typeof url === "string") return url
  throw invalid("url is the https URL of an endpoint, as a text")
}

export const readDescription = (description: string | null): string | null => {
  if (description === null) return null
  if (typeof description !== "string" || description.length > DESCRIPTION_LENGTH_MAX) {
    throw invalid(`description is null or a text of at most ${DESCRIPTION_LENGTH_MAX} characters`)
  }
  const why = unkept(description)
  if (why === undefined) return description
  throw invalid(`description ${why}`)
}

export const readSubscribed = (types: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (Array.isArray(types) && types.length <= SUBSCRIBED_MAX) return types
  throw invalid(`eventTypes is a list of at most ${SUBSCRIBED_MAX} event types; an empty one subscribes to all`)
}
