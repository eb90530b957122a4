/** An organization's events, as a stream. */
import { CurrentCaller } from "@agent-platform/contract"
import { type FollowedEvent, readFollowerPlace, Webhooks, writeBeginning } from "@agent-platform/webhooks"
import { Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { invalid } from "../edge/problems.ts"
import { LongAnswers } from "../LongAnswers.ts"
import { makeStreams, type StreamedEvent } from "../streams.ts"

interface StreamCall {
  readonly headers: { readonly "last-event-id"?: string }
  readonly request: HttpServerRequest.HttpServerRequest
}

const streamed = ({ body, id, type }: FollowedEvent): StreamedEvent => ({ id, event: { type, data: body } })

const notFollowed = () =>
  invalid("Last-Event-ID", "must be the id of an event of this stream that is still kept, or the id that it began with")

/** Makes the handler for the stream of an organization's events. */
export const makeFollowEventsHandler = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  const streams = yield* makeStreams
  const { open } = yield* LongAnswers
  return Effect.fnUntraced(function* ({ headers, request }: StreamCall) {
    const caller = yield* CurrentCaller
    const given = headers["last-event-id"]?.trim() ?? ""
    const from = given === "" ? undefined : readFollowerPlace(given)
    if (given !== "" && from === undefined) return yield* notFollowed()
    const untilRefused = Effect.ignore(yield* open)
    const { beginning, events } = yield* webhooks
      .followEvents({ caller, from })
      .pipe(Effect.catchTag("EventUnknown", notFollowed))
    // A reconnecting client keeps its own id, which is more exact than the start of this connection.
    const opening = given === "" ? Stream.succeed({ id: writeBeginning(beginning) }) : Stream.empty
    return streams.events(request, Stream.concat(opening, Stream.map(events, streamed)), untilRefused)
  })
})
