import { Signals, UnitOfWork } from "@agent-platform/kernel"
import { makeBind } from "@agent-platform/toolkit"
import { Context, Effect, Layer } from "effect"
import { makeNotificationHub } from "./NotificationHub.ts"
import { ActivityFeed } from "./ports/ActivityFeed.ts"
import { NotificationFeed } from "./ports/NotificationFeed.ts"
import { listActivity } from "./use-cases/listActivity.ts"
import { markRead } from "./use-cases/markRead.ts"
import { readNotifications } from "./use-cases/readNotifications.ts"

const PORTS = [NotificationFeed, ActivityFeed, Signals, UnitOfWork] as const

/** The ports that an embedder provides. */
export type FeedsPorts = (typeof PORTS)[number]["Identifier"]

const make = Effect.gen(function* () {
  const bind = yield* makeBind(...PORTS)
  const hub = yield* makeNotificationHub
  return {
    readNotifications: bind(readNotifications),
    markRead: bind(markRead),
    followNotifications: hub.follow,
    listActivity: bind(listActivity)
  }
})

/** Notifications and activity: every use case, bound to its ports when the layer is built. */
export class Feeds extends Context.Service<Feeds, Effect.Success<typeof make>>()("@agent-platform/feeds/Feeds") {
  static readonly layer: Layer.Layer<Feeds, never, FeedsPorts> = Layer.effect(Feeds, make)
}
