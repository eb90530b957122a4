/** A store of deliveries: all ports that keep them as one object, for suites and faults that go across these ports. */
import { Context, Effect } from "effect"
import { DeliveryLifecycle } from "../ports/DeliveryLifecycle.ts"
import { DeliveryQueue } from "../ports/DeliveryQueue.ts"
import { DeliveryRecords } from "../ports/DeliveryRecords.ts"
import { DeliveryReplays } from "../ports/DeliveryReplays.ts"
import { DeliverySettlement } from "../ports/DeliverySettlement.ts"
import { EndpointHealthStore } from "../ports/EndpointHealthStore.ts"

/** The methods of all of these ports. */
export type DeliveryStore = DeliveryQueue["Service"] &
  DeliverySettlement["Service"] &
  DeliveryRecords["Service"] &
  DeliveryLifecycle["Service"] &
  DeliveryReplays["Service"] &
  EndpointHealthStore["Service"]

/** The store of an adapter, made of its ports. */
export const deliveryStore = Effect.gen(function* () {
  const store: DeliveryStore = {
    ...(yield* DeliveryQueue),
    ...(yield* DeliverySettlement),
    ...(yield* DeliveryRecords),
    ...(yield* DeliveryLifecycle),
    ...(yield* DeliveryReplays),
    ...(yield* EndpointHealthStore)
  }
  return store
})

/** The ports whose methods a store has. */
export type DeliveryPorts = Effect.Services<typeof deliveryStore>

/** Does something with the store. */
export const useDeliveryStore = <A, E, R>(
  use: (store: DeliveryStore) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | DeliveryPorts> => Effect.flatMap(deliveryStore, use)

/** Provides each of the ports out of one store. */
export const portsOf = (store: DeliveryStore): Context.Context<DeliveryPorts> =>
  Context.make(DeliveryQueue, store).pipe(
    Context.add(DeliverySettlement, store),
    Context.add(DeliveryRecords, store),
    Context.add(DeliveryLifecycle, store),
    Context.add(DeliveryReplays, store),
    Context.add(EndpointHealthStore, store)
  )
