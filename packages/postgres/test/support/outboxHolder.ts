/** A process that takes an event, says so on its standard output and holds it until it is killed. */
import { Outbox } from "@agent-platform/kernel"
import { layerClient, layer as postgres } from "@agent-platform/postgres"
import { Effect, Layer, Redacted } from "effect"

const [, , url = ""] = process.argv

const program = Effect.gen(function* () {
  const events = yield* Outbox.use((outbox) => outbox.take(1))
  console.log(`holding ${events.length}`)
  yield* Effect.never
})

Effect.runFork(program.pipe(Effect.provide(Layer.provide(postgres, layerClient({ url: Redacted.make(url) })))))
