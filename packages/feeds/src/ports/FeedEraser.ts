import type { Eraser } from "@agent-platform/kernel"
import { Context } from "effect"

/**
 * Erases entries of the activity feed and notices. Entries about an erasure itself stay: their actions end in `.erased` or
 * `.erasure_requested`. Notices
 * about single resources lose their words and stay, since unread ones are counted; a person loses their name where they acted,
 * and entries about them as a member go. Held by `feedEraserContract`.
 */
export class FeedEraser extends Context.Service<FeedEraser, Eraser>()("@agent-platform/feeds/FeedEraser") {}
