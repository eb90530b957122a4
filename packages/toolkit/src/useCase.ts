/** Use cases by name. */
import { Effect, Tracer } from "effect"
import { isRecording } from "./Trace.ts"

type Definition = Parameters<Effect.fn.Untraced>
type Act = (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>

/**
 * A use case of this name, `domain.act`. Where spans are recorded, it is a span of that name in the trace of its caller.
 *
 * `Effect.fn` is not used, since it always makes a span, and an error that holds the place of the call: both together take ten
 * times as long as a use case that reads. The casts: this has the type of `Effect.fnUntraced`, with all of its overloads.
 */
export const useCase = (name: string): Effect.fn.Untraced =>
  ((...definition: Definition) => {
    const act = Effect.fnUntraced(...definition) as Act
    return (...args: ReadonlyArray<unknown>) =>
      Effect.withFiber((fiber) => {
        const acting = act(...args)
        return isRecording(fiber.getRef(Tracer.Tracer)) ? Effect.withSpan(acting, name) : acting
      })
  }) as unknown as Effect.fn.Untraced
