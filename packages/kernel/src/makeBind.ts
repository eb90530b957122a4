/** Use cases with the ports that they are carried out through. */
import { Context, Effect } from "effect"

/** More of a caller than this is copied together with the ports; no caller has as much. */
const DEPTH_MAX = 128

/**
 * Binds use cases to ports once, when a service is built: what is bound asks its caller for nothing. What else the caller has
 * about it, as its transaction, its place in a trace and what it annotates logs with, holds inside as well; ports are never
 * taken from the caller. It does what `Effect.provideContext` does, without a copy of all ports for every call.
 */
export const makeBind = <Ports>(ports: Context.Context<Ports>) => {
  const own = new Map(ports.mapUnsafe)
  const base = Context.makeUnsafe<Ports>(own, { maxDepth: DEPTH_MAX })
  const around = (caller: Context.Context<never>): Context.Context<Ports> => {
    let inner = base
    for (const [key, value] of caller.mapUnsafe) if (!own.has(key)) inner = Context.addUnsafe(inner, key, value)
    return inner
  }
  return <Args extends ReadonlyArray<unknown>, A, E>(useCase: (...args: Args) => Effect.Effect<A, E, Ports>) =>
    (...args: Args): Effect.Effect<A, E> =>
      Effect.updateContext(useCase(...args), around)
}
