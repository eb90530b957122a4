import type { Eraser } from "@agent-platform/kernel"
import { Context } from "effect"

/**
 * Erases entries of the activity feed and notices. Entries about an erasure itself, whose actions end in `.erased`, stay. Notices
 * about single resources stay without their words, since unread ones are counted. Entries of what a person did stay without the
 * name, and entries about the person as a member go. Held by `feedEraserContract`.
 */
export class FeedEraser extends Context.Service<FeedEraser, Eraser>()("@agent-platform/feeds/FeedEraser") {}
