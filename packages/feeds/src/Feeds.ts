import { Signals, UnitOfWork } from "@agent-platform/kernel"
import { makeBind } from "@agent-platform/toolkit"
import { Context, Effect, Layer } from "effect"
import { makeNotificationHub, NotificationHub } from "./NotificationHub.ts"
import { ActivityFeed } from "./ports/ActivityFeed.ts"
import { NotificationFeed } from "./ports/NotificationFeed.ts"
import { followNotifications } from "./use-cases/followNotifications.ts"
import { listActivity } from "./use-cases/listActivity.ts"
import { markRead } from "./use-cases/markRead.ts"
import { readNotifications } from "./use-cases/readNotifications.ts"

/** The ports that an embedder provides. */
export type FeedsPorts = NotificationFeed | ActivityFeed | Signals | UnitOfWork

const make = Effect.gen(function* () {
  const bind = yield* makeBind(NotificationFeed, ActivityFeed, Signals, UnitOfWork, NotificationHub).pipe(
    Effect.provideServiceEffect(NotificationHub, makeNotificationHub)
  )
  return {
    readNotifications: bind(readNotifications),
    markRead: bind(markRead),
    followNotifications: bind(followNotifications),
    listActivity: bind(listActivity)
  }
})

/** Notifications and activity: every use case, bound to its ports when the layer is built. */
export class Feeds extends Context.Service<Feeds, Effect.Success<typeof make>>()("@agent-platform/feeds/Feeds") {
  static readonly layer: Layer.Layer<Feeds, never, FeedsPorts> = Layer.effect(Feeds, make)
}
