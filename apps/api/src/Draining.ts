import { Context, Deferred, Effect, Layer } from "effect"

/**
 * How far this process has stopped. First the end is announced: the process reports that it is not ready and closes each
 * connection after its response, but still serves everything while traffic moves to other processes. Then it begins to stop:
 * streams and waiting requests end, so that clients continue elsewhere, and other requests are finished.
 */
export class Draining extends Context.Service<
  Draining,
  {
    readonly isAnnounced: () => boolean
    readonly announce: Effect.Effect<void>
    /** Completes when the process begins to stop. */
    readonly begun: Effect.Effect<void>
    readonly isBegun: () => boolean
    readonly begin: Effect.Effect<void>
  }
>()("@agent-platform/api/Draining") {
  static readonly layer: Layer.Layer<Draining> = Layer.sync(Draining, () => {
    const deferred = Deferred.makeUnsafe<void>()
    let announced = false
    return {
      isAnnounced: () => announced,
      announce: Effect.sync(() => {
        announced = true
      }),
      begun: Deferred.await(deferred),
      isBegun: () => Deferred.isDoneUnsafe(deferred),
      begin: Effect.asVoid(Deferred.succeed(deferred, undefined))
    }
  })
}
