import { jobQueueContract } from "@agent-platform/kernel/testing"
import { Context, Deferred, Effect, Layer, type Redacted } from "effect"
import { DatabaseUrl, installFor, queueLayer } from "./support/queue.ts"

// The contract makes its queues outside of the layer, and so needs to know the layer's database.
const database = Deferred.makeUnsafe<Redacted.Redacted>()
const layer = queueLayer.pipe(
  Layer.tap((ports) => Effect.asVoid(Deferred.succeed(database, Context.get(ports, DatabaseUrl))))
)

jobQueueContract("pg-boss", layer, (kind) =>
  Effect.orDie(Effect.flatMap(Deferred.await(database), (url) => installFor(url, [kind])))
)
