import { DEFAULT_SCHEMA } from "@agent-platform/toolkit"
import type { Statement } from "effect/sql"

const NAMED = new RegExp(`\\b${DEFAULT_SCHEMA}\\.`, "g")

/** A compiler of statements that replaces the schema that they are written with by this one. */
export const compilerIn = (schema: string, compiler: Statement.Compiler): Statement.Compiler => {
  const made: Statement.Compiler = {
    dialect: compiler.dialect,
    compile: (statement, withoutTransform) => {
      const [text, values] = compiler.compile(statement, withoutTransform)
      return [text.replace(NAMED, `${schema}.`), values]
    },
    // No names are transformed here, so both compilers are the same.
    get withoutTransform() {
      return made
    }
  }
  return schema === DEFAULT_SCHEMA ? compiler : made
}
