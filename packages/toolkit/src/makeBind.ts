/** Use cases, bound to their ports. */
import { Context, Effect } from "effect"

type PortsOf<Keys extends ReadonlyArray<Context.Key<unknown, unknown>>> = Keys[number]["Identifier"]

/** Binds a use case to its ports. */
export type Bind<Ports> = <Args extends ReadonlyArray<unknown>, A, E>(
  useCase: (...args: Args) => Effect.Effect<A, E, Ports>
) => (...args: Args) => Effect.Effect<A, E>

/**
 * Binds use cases to these ports once, when a service is built. The rest of the caller's context, such as its transaction, its
 * span and its log annotations, holds inside as well.
 *
 * The ports are named because `Effect.provideContext` would carry along the whole context of the build, at a cost for each call.
 * They are added one by one, since merging contexts copies the caller's, which took a sixteenth of a request.
 */
export const makeBind = <const Keys extends ReadonlyArray<Context.Key<unknown, unknown>>>(
  ...keys: Keys
): Effect.Effect<Bind<PortsOf<Keys>>, never, PortsOf<Keys>> =>
  Effect.contextWith((context: Context.Context<PortsOf<Keys>>) => {
    const ports = keys.map((key) => [key.key, Context.getUnsafe(context, key)] as const)
    const withPorts = (caller: Context.Context<never>): Context.Context<PortsOf<Keys>> =>
      ports.reduce(
        (context, [key, port]) => Context.addUnsafe(context, key, port),
        caller as Context.Context<PortsOf<Keys>>
      )
    const bind: Bind<PortsOf<Keys>> =
      (useCase) =>
      (...args) =>
        Effect.updateContext(useCase(...args), withPorts)
    return Effect.succeed(bind)
  })
