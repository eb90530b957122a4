import { inDatabaseSchema } from "@agent-platform/process"
import { ConfigProvider, Effect, Redacted } from "effect"
import { type DemoCredentials, ensureDemo } from "./demo.ts"
import { layerCommand } from "./layers.ts"
import { migrateDatabase } from "./migrateDatabase.ts"

/**
 * Prepares the database for `npm start`: migrates it and ensures the demo workspace. `known` are
 * the credentials of the last start, if there are any. Rejects when the database cannot be reached or migrated.
 */
export const prepare = (options: {
  readonly databaseUrl: string
  /** The same database by the role that owns its tables. */
  readonly databaseOwnerUrl: string
  readonly secretsKey: string
  readonly known: DemoCredentials | null
}): Promise<DemoCredentials> => {
  const url = Redacted.make(options.databaseUrl)
  return Effect.runPromise(
    Effect.andThen(
      migrateDatabase(url, Redacted.make(options.databaseOwnerUrl)),
      Effect.provide(ensureDemo(options.known), layerCommand(url))
    ).pipe(
      inDatabaseSchema,
      // A provider of its own, since Effect's default keeps the environment that it has seen first. `npm start` adds variables to it for the
      // scheduler, which runs in this process later.
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv())
    )
  )
}
