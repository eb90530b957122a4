/** The schema that holds all tables, functions, locks and channels of the platform in a database. */
import { Context } from "effect"
import type { Statement } from "effect/sql"

/** The schema unless another is chosen. Every statement names it, so that none depends on a search path. */
export const SCHEMA = "agent_platform"

/** The schema in this process: provide it to `layerClient` and to the adapters alike. See docs/operations.md. */
export const DatabaseSchema = Context.Reference<string>("@agent-platform/postgres/DatabaseSchema", {
  defaultValue: () => SCHEMA
})

/** A name that Postgres takes without quotes, of at most 40 characters; `pg_…` is Postgres's own. */
export const parseSchema = (name: string): string | undefined =>
  /^(?!pg_|information_schema$)[a-z_][a-z0-9_]{0,39}$/.test(name) ? name : undefined

const NAMED = new RegExp(`\\b${SCHEMA}\\.`, "g")

/** A text of SQL, with the schema's name in place of the one that statements are written with. */
export const inSchema = (schema: string, text: string): string =>
  schema === SCHEMA ? text : text.replace(NAMED, `${schema}.`)

/** A compiler whose statements are in this schema. */
export const compilerIn = (schema: string, compiler: Statement.Compiler): Statement.Compiler => {
  const made: Statement.Compiler = {
    dialect: compiler.dialect,
    compile: (statement, withoutTransform) => {
      const [text, values] = compiler.compile(statement, withoutTransform)
      return [inSchema(schema, text), values]
    },
    // Nothing here transforms names.
    get withoutTransform() {
      return made
    }
  }
  return schema === SCHEMA ? compiler : made
}
