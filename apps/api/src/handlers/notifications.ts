/** The notifications of a workspace. Spec: Notifications. */
import { Api, feeds as contract } from "@agent-platform/contract"
import { Feeds, type News, readPlace, writePlace } from "@agent-platform/feeds"
import { NotificationId, parseId } from "@agent-platform/kernel"
import { Effect, Schema, Stream } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { workspaceCaller } from "../callers.ts"
import { invalid } from "../edge/problems.ts"
import { LongAnswers } from "../LongAnswers.ts"
import { makeStreams, type StreamedEvent } from "../streams.ts"

const encodeNotice = Schema.encodeSync(Schema.fromJsonString(Schema.toCodecJson(contract.NotificationView)))

const encodeCount = Schema.encodeSync(Schema.fromJsonString(Schema.toCodecJson(contract.UnreadCount)))

const streamed = (news: News): StreamedEvent => ({
  id: writePlace(news.place),
  event:
    "notification" in news
      ? { type: news.notification.type, data: encodeNotice(news.notification) }
      : { type: "read", data: encodeCount({ unreadCount: news.unreadCount }) }
})

const notFollowed = () => invalid("Last-Event-ID", "must be the id of an event of this stream")

/** Handlers of notifications. */
export const layerNotifications = HttpApiBuilder.group(
  Api,
  "notifications",
  Effect.fnUntraced(function* (handlers) {
    const feeds = yield* Feeds
    const streams = yield* makeStreams
    const { open } = yield* LongAnswers
    return handlers.handleAll({
      listNotifications: Effect.fnUntraced(function* ({ query: { read, since, type } }) {
        const filter = { type, since, read: read === undefined ? undefined : read === "true" }
        return yield* feeds.readNotifications({ caller: yield* workspaceCaller, filter })
      }),

      // A malformed id is ignored, like an unknown one.
      markNotificationsRead: Effect.fnUntraced(function* ({ payload }) {
        const caller = yield* workspaceCaller
        const ids = payload.ids?.flatMap((id) => parseId(NotificationId, id) ?? [])
        return yield* feeds.markRead({ caller, which: ids ?? "all" })
      }),

      followNotifications: Effect.fnUntraced(function* ({ headers, request }) {
        const caller = yield* workspaceCaller
        const given = headers["last-event-id"]?.trim() ?? ""
        const after = given === "" ? undefined : readPlace(given)
        if (given !== "" && after === undefined) return yield* notFollowed()
        const untilRefused = Effect.ignore(yield* open)
        const { from, news } = yield* feeds
          .followNotifications({ caller, after })
          .pipe(Effect.catchTag("PlaceUnknown", notFollowed))
        const events = Stream.concat(Stream.succeed({ id: writePlace(from) }), Stream.map(news, streamed))
        return streams.events(request, events, untilRefused)
      })
    })
  })
)
