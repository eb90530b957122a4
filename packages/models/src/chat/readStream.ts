/** Reads a model's stream to its end, with an eye on the clock. */
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { Clock, Data, Effect, Option } from "effect"
import { type Deltas, GATHER_MILLIS } from "./deltas.ts"
import type { ReceivedAnswer } from "./ReceivedAnswer.ts"

/** The longest waits for a model's first word, and then for its next, in milliseconds. */
export interface StreamTimeouts {
  readonly firstMillis: number
  readonly nextMillis: number
}

/** The stream broke off, or went silent. */
export class StreamBroken extends Data.TaggedError("StreamBroken")<{
  readonly code: "stream_broken" | "timeout"
  readonly detail: string
}> {}

/** The words of an answer on their way to the log: its text, and what the model thought before it. */
export interface Words {
  readonly text: Deltas
  readonly reasoning: Deltas
}

/** The types of parts without content, which do not count as a sign of life. */
const EMPTY = new Set<LanguageModelV4StreamPart["type"]>(["stream-start", "response-metadata", "ping", "raw"])

/**
 * Hands every part to `received` and the words to `words`, and stops at an answer that calls for too many tools. `onFirst` is
 * called when the model has begun to answer. Fails with StreamBroken; the parts received by then are kept.
 */
export const readStream = Effect.fnUntraced(function* (
  stream: ReadableStream<LanguageModelV4StreamPart>,
  to: { readonly received: ReceivedAnswer; readonly words: Words; readonly onFirst: Effect.Effect<void> },
  timeouts: StreamTimeouts
) {
  const reader = yield* Effect.acquireRelease(
    Effect.sync(() => stream.getReader()),
    (open) => Effect.ignore(Effect.tryPromise(() => open.cancel()))
  )
  let pending: ReturnType<typeof reader.read> | undefined
  let begun = false
  let lastMillis = yield* Clock.currentTimeMillis
  while (true) {
    const bound = begun ? timeouts.nextMillis : timeouts.firstMillis
    const left = lastMillis + bound - (yield* Clock.currentTimeMillis)
    if (left <= 0) {
      return yield* new StreamBroken({
        code: "timeout",
        detail: `The model was silent for ${Math.round(bound / 1000)} seconds`
      })
    }
    // A read that is not done is waited for again: its result must not be lost.
    const taken = yield* Effect.tryPromise({
      try: () => {
        pending ??= reader.read()
        return pending
      },
      catch: () => new StreamBroken({ code: "stream_broken", detail: "The model's answer broke off" })
    }).pipe(
      Effect.timeoutOption(to.words.text.waits() || to.words.reasoning.waits() ? Math.min(left, GATHER_MILLIS) : left)
    )
    if (Option.isNone(taken)) {
      yield* to.words.reasoning.tick
      yield* to.words.text.tick
      continue
    }
    pending = undefined
    if (taken.value.done) return
    const part = taken.value.value
    to.received.take(part)
    if (to.received.hasTooManyCalls()) return
    if (EMPTY.has(part.type)) continue
    lastMillis = yield* Clock.currentTimeMillis
    if (!begun) yield* to.onFirst
    begun = true
    if (part.type === "reasoning-delta") yield* to.words.reasoning.push(part.delta)
    if (part.type === "reasoning-end" || part.type === "text-start") yield* to.words.reasoning.flush
    if (part.type === "text-delta") yield* to.words.text.push(part.delta)
    if (part.type === "text-end") yield* to.words.text.flush
  }
})
