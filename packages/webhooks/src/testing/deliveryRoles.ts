/** All ports that keep deliveries as one object, for suites and faults that go across them. */
import { Context, Effect } from "effect"
import { DeliveryLifecycle } from "../ports/DeliveryLifecycle.ts"
import { DeliveryQueue } from "../ports/DeliveryQueue.ts"
import { DeliveryRecords } from "../ports/DeliveryRecords.ts"
import { DeliveryReplays } from "../ports/DeliveryReplays.ts"
import { DeliverySettlement } from "../ports/DeliverySettlement.ts"
import { EndpointHealthStore } from "../ports/EndpointHealthStore.ts"

/** The methods of all of these ports. */
export type DeliveryRoles = DeliveryQueue["Service"] &
  DeliverySettlement["Service"] &
  DeliveryRecords["Service"] &
  DeliveryLifecycle["Service"] &
  DeliveryReplays["Service"] &
  EndpointHealthStore["Service"]

/** The object for the ports of an adapter. */
export const deliveryRoles = Effect.gen(function* () {
  const roles: DeliveryRoles = {
    ...(yield* DeliveryQueue),
    ...(yield* DeliverySettlement),
    ...(yield* DeliveryRecords),
    ...(yield* DeliveryLifecycle),
    ...(yield* DeliveryReplays),
    ...(yield* EndpointHealthStore)
  }
  return roles
})

/** The ports whose methods it has. */
export type DeliveryPorts = Effect.Services<typeof deliveryRoles>

/** Does something with that object. */
export const useRoles = <A, E, R>(
  use: (roles: DeliveryRoles) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | DeliveryPorts> => Effect.flatMap(deliveryRoles, use)

/** Provides each of the ports out of one object. */
export const portsOf = (roles: DeliveryRoles): Context.Context<DeliveryPorts> =>
  Context.make(DeliveryQueue, roles).pipe(
    Context.add(DeliverySettlement, roles),
    Context.add(DeliveryRecords, roles),
    Context.add(DeliveryLifecycle, roles),
    Context.add(DeliveryReplays, roles),
    Context.add(EndpointHealthStore, roles)
  )
