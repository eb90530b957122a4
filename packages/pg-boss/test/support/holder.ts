/** A process that takes a job, says so on its standard output and holds the job until it is killed. */
import { defineJob, JobSource } from "@agent-platform/kernel"
import { Boss, PgBossJobQueue, PgBossJobSource } from "@agent-platform/pg-boss"
import { layerClient, layer as postgres } from "@agent-platform/postgres"
import { Effect, Layer, Redacted, Schema } from "effect"

const [, , url = "", name = ""] = process.argv
const kind = defineJob(name, Schema.Struct({}))

const program = Effect.gen(function* () {
  const jobs = yield* JobSource.use((source) => source.take(kind, 1))
  console.log(`holding ${jobs.length}`)
  yield* Effect.never
})

Effect.runFork(
  program.pipe(
    Effect.provide(
      Layer.mergeAll(PgBossJobQueue.layer, PgBossJobSource.layer).pipe(
        Layer.provide(Boss.layer({ url: Redacted.make(url) })),
        Layer.provideMerge(postgres),
        Layer.provideMerge(layerClient({ url: Redacted.make(url) }))
      )
    )
  )
)
