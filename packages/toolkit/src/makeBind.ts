/** Use cases with the ports that they are carried out through. */
import { Context, Effect } from "effect"

/** So many ports are laid over what the caller has; for more of them that is copied. */
const FEW = 4

type PortsOf<Keys extends ReadonlyArray<Context.Key<unknown, unknown>>> = Keys[number]["Identifier"]

/** Binds a use case to its ports. */
export type Bind<Ports> = <Args extends ReadonlyArray<unknown>, A, E>(
  useCase: (...args: Args) => Effect.Effect<A, E, Ports>
) => (...args: Args) => Effect.Effect<A, E>

/**
 * Binds use cases to these ports once, when a service is built: what is bound asks its caller for nothing. What else the
 * caller has about it, as its transaction, its place in a trace and what it annotates logs with, holds inside as well; ports
 * are never taken from the caller. Naming them, where `Effect.provideContext` would take along all that was there when the
 * service was built, is what keeps a call cheap; what every request calls is bound by itself, to the few that it needs.
 */
export const makeBind = <const Keys extends ReadonlyArray<Context.Key<unknown, unknown>>>(
  ...keys: Keys
): Effect.Effect<Bind<PortsOf<Keys>>, never, PortsOf<Keys>> =>
  Effect.contextWith((context: Context.Context<PortsOf<Keys>>) => {
    const ports = keys.map((key) => [key.key, Context.getUnsafe(context, key)] as const)
    const withFew = (caller: Context.Context<never>): Context.Context<PortsOf<Keys>> =>
      ports.reduce(
        (context, [key, port]) => Context.addUnsafe(context, key, port),
        caller as Context.Context<PortsOf<Keys>>
      )
    const withMany = (caller: Context.Context<never>): Context.Context<PortsOf<Keys>> => {
      const services = new Map<string, unknown>(caller.mapUnsafe)
      for (const [key, port] of ports) services.set(key, port)
      return Context.makeUnsafe(services)
    }
    const around = ports.length <= FEW ? withFew : withMany
    const bind: Bind<PortsOf<Keys>> =
      (useCase) =>
      (...args) =>
        Effect.updateContext(useCase(...args), around)
    return Effect.succeed(bind)
  })
