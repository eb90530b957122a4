/** The table that the client calls by. `UPDATE_OPENAPI=1` writes it anew. */
import { readFileSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { SchemaAST } from "effect"
import { HttpApi } from "effect/http-api"
import { Api } from "../src/index.ts"

const FILE = new URL("../src/client/operations.ts", import.meta.url)

const namesOf = (schema: { readonly ast: SchemaAST.AST } | undefined): ReadonlyArray<string> => {
  const ast = schema && SchemaAST.toEncoded(schema.ast)
  return ast?._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []
}

const table = (): string => {
  const groups = new Map<string, Array<string>>()
  HttpApi.reflect(Api, {
    onGroup: ({ group }) => groups.set(group.identifier, []),
    onEndpoint: ({ endpoint, group }) => {
      const flags = [
        ...(namesOf(endpoint.headers).includes("idempotency-key") ? ["keyed: true"] : []),
        ...(namesOf(endpoint.query).includes("cursor") ? ["paged: true"] : []),
        ...(endpoint.payload.size > 0 ? ["hasBody: true"] : [])
      ]
      const parts = [`method: "${endpoint.method}"`, `path: "${endpoint.path}"`, ...flags].join(", ")
      groups.get(group.identifier)?.push(`    ${endpoint.identifier}: { ${parts} }`)
    }
  })
  const rows = [...groups].map(([name, endpoints]) => `  ${name}: {\n${endpoints.join(",\n")}\n  }`)
  return (
    "/** Every operation of the interface: its method, its address, whether a repetition creates nothing twice (`keyed`), whether it\n" +
    " * answers pages, and whether it takes a body. Written by this package's tests under UPDATE_OPENAPI=1. */\n" +
    `export const OPERATIONS = {\n${rows.join(",\n")}\n} as const\n`
  )
}

/** The formatter may have broken lines. */
const squeezed = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll(/\{ /g, "{").replaceAll(/ \}/g, "}")

describe("the client's table of operations", () => {
  it("has every operation of the contract", () => {
    if (process.env["UPDATE_OPENAPI"] === "1") writeFileSync(FILE, table())
    assert.strictEqual(squeezed(readFileSync(FILE, "utf8")), squeezed(table()))
  })
})
