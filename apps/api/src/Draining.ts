import { Context, Deferred, Effect, Layer } from "effect"

/**
 * Whether this process is on its way out. It is announced first: the process is not ready any more, asks to be called over
 * other connections, and serves as before while traffic goes elsewhere. Then streams and waiting answers end, so that
 * clients go on elsewhere; other requests are served to their end.
 */
export class Draining extends Context.Service<
  Draining,
  {
    readonly isAnnounced: () => boolean
    readonly announce: Effect.Effect<void>
    /** Returns when the process begins to stop. */
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
