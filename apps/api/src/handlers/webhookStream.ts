/** An organization's events, as a stream. */
import { CurrentCaller } from "@agent-platform/contract"
import { EventId, parseId } from "@agent-platform/kernel"
import { type FollowedEvent, Webhooks } from "@agent-platform/webhooks"
import { Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { invalid } from "../edge/problems.ts"
import { promptly } from "../edge/promptly.ts"
import { KeyWatch } from "../KeyWatch.ts"
import { makeStreams } from "../streams.ts"

interface StreamCall {
  readonly headers: { readonly "last-event-id"?: string }
  readonly request: HttpServerRequest.HttpServerRequest
}

// The envelope is JSON without line breaks: one line of data holds it as it is.
const sseFrame = ({ body, id, type }: FollowedEvent): string => `id: ${id}\nevent: ${type}\ndata: ${body}\n\n`

const notFollowed = () => invalid("Last-Event-ID", "must be the id of an event of this stream that is still kept")

/** The handler for the stream of an organization's events. */
export const makeFollowEventsHandler = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  const streams = yield* makeStreams
  return Effect.fnUntraced(function* ({ headers, request }: StreamCall) {
    const caller = yield* CurrentCaller
    const given = headers["last-event-id"]?.trim() ?? ""
    const lastSeen = given === "" ? undefined : parseId(EventId, given)
    if (given !== "" && lastSeen === undefined) return yield* notFollowed()
    const events = yield* webhooks.followEvents({ caller, lastSeen }).pipe(
      promptly,
      Effect.catchTag("EventUnknown", () => Effect.fail(notFollowed()))
    )
    return streams.events(request, Stream.map(events, sseFrame), Effect.ignore(yield* KeyWatch))
  })
})
