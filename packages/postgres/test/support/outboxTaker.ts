/** A process that takes an event, prints its token to standard output and keeps it until it is killed. */
import { Outbox } from "@agent-platform/kernel"
import { layerClient, layer as postgres } from "@agent-platform/postgres"
import { Effect, Layer, Redacted } from "effect"

const [, , url = ""] = process.argv

const program = Effect.gen(function* () {
  const events = yield* Outbox.use((outbox) => outbox.take(1))
  console.log(`taken by ${events[0]?.token}`)
  yield* Effect.never
})

Effect.runFork(program.pipe(Effect.provide(Layer.provide(postgres, layerClient({ url: Redacted.make(url) })))))
