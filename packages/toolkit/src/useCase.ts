/** Use cases by name. */
import { Effect, Tracer } from "effect"

type Definition = Parameters<Effect.fn.Untraced>
type Act = (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>

/**
 * A use case of this name, `domain.act`. Where spans are recorded, it is a span of that name in the trace of its caller.
 * `Effect.fn` makes a span in any case, and an error for the place of each call: ten times what a reading takes. The casts: it has
 * the type of `Effect.fnUntraced`, with all of its overloads.
 */
export const useCase = (name: string): Effect.fn.Untraced =>
  ((...definition: Definition) => {
    const act = Effect.fnUntraced(...definition) as Act
    return (...args: ReadonlyArray<unknown>) =>
      Effect.withFiber((fiber) => {
        const acting = act(...args)
        return fiber.getRef(Tracer.Tracer) === Tracer.nativeTracer ? acting : Effect.withSpan(acting, name)
      })
  }) as unknown as Effect.fn.Untraced
