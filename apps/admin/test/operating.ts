/** An operator at work over a database of its own. */
import { Keys } from "@agent-platform/keys"
import { EXIT_REFUSED, EXIT_USAGE } from "@agent-platform/process"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { freshDatabase } from "../../../packages/postgres/test/support/database.ts"
import { commandOf } from "../src/commandTree.ts"
import { JsonExample } from "../src/described.ts"
import { layerCommand } from "../src/layers.ts"
import { type Outcome, runAdmin, spawnAdmin } from "./program.ts"

/** The database of the suite. */
export class Database extends Context.Service<Database, { readonly url: Redacted.Redacted }>()("Database") {}

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

/** The names and types of a value, as far as the other has them too: null and empty lists go with anything. */
const shapeOf = (value: unknown, other: unknown): unknown => {
  if (value === null || other === null) return "any"
  if (Array.isArray(value)) {
    return Array.isArray(other) && value.length > 0 && other.length > 0 ? [shapeOf(value[0], other[0])] : []
  }
  if (typeof value !== "object") return typeof value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [two]) => (one < two ? -1 : 1))
      .map(([name, member]) => [name, shapeOf(member, (other as Record<string, unknown>)[name] ?? null)])
  )
}

/** Holds what a command has printed to the example that its reference shows. */
export const assertPromised = (args: ReadonlyArray<string>, value: unknown) => {
  const promised = Context.getUnsafe(commandOf(args).annotations, JsonExample)
  assert.deepStrictEqual(shapeOf(value, promised), shapeOf(promised, value), args.join(" "))
}

/** The parsed output of a command that succeeded. */
export const parse = ({ code, err, out }: Outcome) => {
  assert.strictEqual(code, 0, `${out}${err}`)
  return JSON.parse(out)
}

/** Runs a command that succeeds, and reads the JSON that it prints. */
export const printed = (...args: ReadonlyArray<string>) =>
  Effect.map(admin(...args), (outcome) => {
    const value = parse(outcome)
    assertPromised(args, value)
    return value
  })

/** Runs a command that is refused, and reads why. */
export const refused = (...args: ReadonlyArray<string>) =>
  Effect.map(admin(...args), ({ code, err, out }) => {
    assert.include([EXIT_REFUSED, EXIT_USAGE], code, `${out}${err}`)
    return `${out}${err}`.trim()
  })

/** Shows a key to the platform. */
export const authenticate = (value: string) =>
  Keys.use((keys) =>
    keys.authenticate({ credential: Redacted.make(value), workspaceId: undefined, clientAddress: undefined })
  )

/** A new organization, as `bootstrap` prints it. */
export const bootstrapped = printed("bootstrap", "--organization", "Acme", "--owner", "Ada@Example.com")
