/** Reads a model's stream to its end, with an eye on the clock. */
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { Clock, Data, Effect, Option } from "effect"
import { type Deltas, GATHER_MILLIS } from "./deltas.ts"
import type { Heard } from "./heard.ts"

/** How long a model may take to say its first word, and then its next, in milliseconds. */
export interface Patience {
  readonly firstMillis: number
  readonly nextMillis: number
}

/** The stream broke off, or went silent. */
export class StreamBroken extends Data.TaggedError("StreamBroken")<{
  readonly code: "stream_broken" | "timeout"
  readonly detail: string
}> {}

/** What a part that tells nothing new is called. */
const EMPTY = new Set<LanguageModelV4StreamPart["type"]>(["stream-start", "response-metadata", "ping", "raw"])

/**
 * Hands every part to `heard` and the words to `deltas`, and stops at an answer that calls for too many tools. `onFirst` is called
 * when the model has begun to answer. Fails with StreamBroken; what was heard by then stays heard.
 */
export const readStream = Effect.fnUntraced(function* (
  stream: ReadableStream<LanguageModelV4StreamPart>,
  to: { readonly heard: Heard; readonly deltas: Deltas; readonly onFirst: Effect.Effect<void> },
  patience: Patience
) {
  const reader = yield* Effect.acquireRelease(
    Effect.sync(() => stream.getReader()),
    (open) => Effect.ignore(Effect.tryPromise(() => open.cancel()))
  )
  let pending: ReturnType<typeof reader.read> | undefined
  let begun = false
  let lastMillis = yield* Clock.currentTimeMillis
  while (true) {
    const bound = begun ? patience.nextMillis : patience.firstMillis
    const left = lastMillis + bound - (yield* Clock.currentTimeMillis)
    if (left <= 0) {
      return yield* new StreamBroken({
        code: "timeout",
        detail: `The model was silent for ${Math.round(bound / 1000)} seconds`
      })
    }
    // A read that is not done is waited for again: what it brings must not be lost.
    const taken = yield* Effect.tryPromise({
      try: () => {
        pending ??= reader.read()
        return pending
      },
      catch: () => new StreamBroken({ code: "stream_broken", detail: "The model's answer broke off" })
    }).pipe(Effect.timeoutOption(to.deltas.waits() ? Math.min(left, GATHER_MILLIS) : left))
    if (Option.isNone(taken)) {
      yield* to.deltas.tick
      continue
    }
    pending = undefined
    if (taken.value.done) return
    const part = taken.value.value
    to.heard.take(part)
    if (to.heard.hasTooManyCalls()) return
    if (EMPTY.has(part.type)) continue
    lastMillis = yield* Clock.currentTimeMillis
    if (!begun) yield* to.onFirst
    begun = true
    if (part.type === "text-delta") yield* to.deltas.push(part.delta)
    if (part.type === "text-end") yield* to.deltas.flush
  }
})
