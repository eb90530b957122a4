/** A process that takes up a job, says so on its standard output and holds the job until it is killed. */
import { defineJob, JobSource } from "@agent-platform/kernel"
import { Boss, PgBossJobSource } from "@agent-platform/pg-boss"
import { layerClient, layer as postgres } from "@agent-platform/postgres"
import { Effect, Layer, Redacted, Schema } from "effect"

const [, , given = "", name = ""] = process.argv
const url = Redacted.make(given)
const kind = defineJob(name, Schema.Struct({}))

const hold = JobSource.use((source) =>
  source.work(kind, ({ attempt }) =>
    Effect.andThen(
      Effect.sync(() => console.log(`holding ${attempt}`)),
      Effect.never
    )
  )
)

Effect.runFork(
  hold.pipe(
    Effect.provide(
      PgBossJobSource.layer.pipe(
        Layer.provide(Boss.layer({ url })),
        Layer.provideMerge(postgres),
        Layer.provideMerge(layerClient({ url }))
      )
    )
  )
)
