/** Rules that no schema says are listed in the document, so that nothing is refused without a word about it there. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { RULES } from "../src/v1/openapi/rules.ts"

const FOLDER = new URL("../src/v1/", import.meta.url)

/** The arguments of each call of this function, as they are written. */
const callsOf = (name: string, text: string): ReadonlyArray<string> =>
  text
    .split(`${name}(`)
    .slice(1)
    .map((rest) => {
      let depth = 1
      const end = [...rest].findIndex((character) => {
        if (character === "(") depth++
        if (character === ")") depth--
        return depth === 0
      })
      return rest.slice(0, end)
    })

/** The texts of faults in the code, up to what is put into them. Those that a schema says by `toJsonSchema` are left out. */
const detailsIn = (code: string): ReadonlyArray<string> => {
  const filters = callsOf("makeFilter", code).filter((call) => !call.includes("toJsonSchema"))
  return [
    ...filters.flatMap((call) => [...call.matchAll(/message: ["`]([^"`$]+)/g)]),
    ...code.matchAll(/issue: ["`]([^"`$]+)/g)
  ].map(([, detail = ""]) => detail)
}

describe("the rules of the document", () => {
  it("have every rule that is checked beside the schemas", () => {
    const details = readdirSync(FOLDER)
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => detailsIn(readFileSync(new URL(file, FOLDER), "utf8")))
    assert.isAbove(details.length, 20)
    const isListed = (detail: string) =>
      RULES.some((rule) => rule.detail?.startsWith(detail) === true || detail.startsWith(rule.detail ?? " "))
    assert.deepStrictEqual(
      details.filter((detail) => !isListed(detail)),
      [],
      "Add them to openapi/rules.ts"
    )
  })
})
