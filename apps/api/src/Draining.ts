import { Context, Deferred, Effect, Layer } from "effect"

/**
 * Whether this process is on its way out. Streams and waiting answers end then, so that clients go on elsewhere; other
 * requests are served to their end.
 */
export class Draining extends Context.Service<
  Draining,
  {
    /** Returns when the process begins to stop. */
    readonly begun: Effect.Effect<void>
    readonly isBegun: () => boolean
    readonly begin: Effect.Effect<void>
  }
>()("@agent-platform/api/Draining") {
  static readonly layer: Layer.Layer<Draining> = Layer.sync(Draining, () => {
    const deferred = Deferred.makeUnsafe<void>()
    return {
      begun: Deferred.await(deferred),
      isBegun: () => Deferred.isDoneUnsafe(deferred),
      begin: Effect.asVoid(Deferred.succeed(deferred, undefined))
    }
  })
}
