/** The stores over the pool of a host, which is of `pg`. */
import { layer as memory } from "@agent-platform/kernel/memory"
import {
  eventLogContract,
  idempotencyContract,
  outboxContract,
  unitOfWorkContract
} from "@agent-platform/kernel/testing"
import { layerHostPool, layer as postgres } from "@agent-platform/postgres"
import {
  deliveryContract,
  deliveryHistoryContract,
  endpointStoreContract,
  eventFeedContract,
  replayStoreContract
} from "@agent-platform/webhooks/testing"
import { Effect, Layer, Redacted } from "effect"
import pg from "pg"
import { freshDatabase } from "./support/database.ts"
import { layerTenants } from "./support/tenants.ts"

/** A pool whose host reads types in its own way: whatever it has set must not matter. */
const layerPool = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const types = { getTypeParser: () => () => "the host's own" } as unknown as pg.CustomTypesConfig
    const pool = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const pool = new pg.Pool({ connectionString: Redacted.value(url), max: 24, types })
        // A pool has ended before its sessions have, and dropping the database ends those: an error of the pool by then.
        pool.on("error", () => undefined)
        return pool
      }),
      (pool) => Effect.promise(() => pool.end())
    )
    return Layer.orDie(layerHostPool(pool))
  })
)

const stores = layerTenants.pipe(Layer.provideMerge(postgres), Layer.provideMerge(layerPool))
const withMemory = Layer.provideMerge(stores, memory)

unitOfWorkContract("the pool of a host", stores)
eventLogContract("the pool of a host", stores)
outboxContract("the pool of a host", withMemory)
idempotencyContract("the pool of a host", stores)
endpointStoreContract("the pool of a host", withMemory)
deliveryContract("the pool of a host", stores)
deliveryHistoryContract("the pool of a host", stores)
replayStoreContract("the pool of a host", stores)
eventFeedContract("the pool of a host", stores)
