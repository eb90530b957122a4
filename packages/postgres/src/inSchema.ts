import { DEFAULT_SCHEMA } from "@agent-platform/toolkit"
import type { Statement } from "effect/sql"

const NAMED = new RegExp(`\\b${DEFAULT_SCHEMA}\\.`, "g")

/** A compiler that puts the schema's name in place of the one that statements are written with. */
export const compilerIn = (schema: string, compiler: Statement.Compiler): Statement.Compiler => {
  const made: Statement.Compiler = {
    dialect: compiler.dialect,
    compile: (statement, withoutTransform) => {
      const [text, values] = compiler.compile(statement, withoutTransform)
      return [text.replace(NAMED, `${schema}.`), values]
    },
    // Nothing here transforms names.
    get withoutTransform() {
      return made
    }
  }
  return schema === DEFAULT_SCHEMA ? compiler : made
}
