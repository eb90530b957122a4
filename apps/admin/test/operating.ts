/** An operator at work over a database of its own. */
import { Keys } from "@agent-platform/keys"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { freshDatabase } from "../../../packages/postgres/test/support/database.ts"
import { layerCommand } from "../src/layers.ts"
import { type Outcome, runAdmin, spawnAdmin } from "./program.ts"

/** The database of the suite. */
class Database extends Context.Service<Database, { readonly url: Redacted.Redacted }>()("Database") {}

/** A migrated database, its stores and services. */
export const layer = Layer.unwrap(
  Effect.map(freshDatabase, (url) => Layer.merge(Layer.succeed(Database, { url }), layerCommand(url)))
)

/** Runs a command. */
export const admin = (...args: ReadonlyArray<string>) =>
  Effect.flatMap(Database, ({ url }) => runAdmin(Redacted.value(url), ...args))

/** The same in a process of its own. */
export const realAdmin = (...args: ReadonlyArray<string>) =>
  Effect.flatMap(Database, ({ url }) => spawnAdmin(Redacted.value(url), ...args))

/** What a command that succeeded has printed. */
export const parse = ({ code, err, out }: Outcome) => {
  assert.strictEqual(code, 0, `${out}${err}`)
  return JSON.parse(out)
}

/** Runs a command that succeeds, and reads the JSON that it prints. */
export const printed = (...args: ReadonlyArray<string>) => Effect.map(admin(...args), parse)

/** Runs a command that is refused, and reads why. */
export const refused = (...args: ReadonlyArray<string>) =>
  Effect.map(admin(...args), ({ code, err, out }) => {
    assert.strictEqual(code, 1, `${out}${err}`)
    return `${out}${err}`.trim()
  })

/** Shows a key to the platform. */
export const authenticate = (value: string) =>
  Keys.use((keys) =>
    keys.authenticate({ credential: Redacted.make(value), workspaceId: undefined, clientAddress: undefined })
  )

/** A new organization, as `bootstrap` prints it. */
export const bootstrapped = printed("bootstrap", "--organization", "Acme", "--owner", "Ada@Example.com")
