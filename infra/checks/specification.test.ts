/** Every reference to the specification in a comment leads to a section of docs/specification.md. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { readRepository, TOP_FOLDER } from "./repository.ts"
import { referenceFaults, sectionsOf } from "./specification.ts"

const PAGE = ["# Title", "## API keys", "Text.", "1. One.", "2. Two", "   goes on.", "### Limits", "None."].join("\n")
const SECTIONS = sectionsOf(PAGE)

/** Not written out, since this file is held to the specification as well. */
const WORD = "Spec"
const faultsOf = (text: string) => [...referenceFaults({ path: "a.ts", text }, SECTIONS)]

describe("references to the specification", () => {
  it("lead to a section of the page, everywhere in the repository", () => {
    const sections = sectionsOf(readFileSync(join(TOP_FOLDER, "docs/specification.md"), "utf8"))
    const faults = readRepository(TOP_FOLDER).files.flatMap((file) => referenceFaults(file, sections))
    assert.deepStrictEqual(faults, [])
  })

  it("are a section, or rules of one, or several of these", () => {
    assert.deepStrictEqual(faultsOf(`/** Why. ${WORD}: API keys 1 and 2; Limits. */`), [])
    assert.deepStrictEqual(faultsOf(`// ${WORD}: API keys 1 to 2\nconst a = 1`), [])
    assert.deepStrictEqual(faultsOf(`/**\n * It holds. ${WORD}: API\n * keys 2. More.\n */`), [])
  })

  it("to a section that is not there are faults", () => {
    assert.deepStrictEqual(faultsOf(`/** ${WORD}: Passwords. */`), ["a.ts: there is no section 'Passwords'"])
    assert.deepStrictEqual(faultsOf(`/** ${WORD}: Limits; API\n * key. */`), ["a.ts: there is no section 'API key'"])
    assert.deepStrictEqual(faultsOf(`/** ${WORD}: Limits, page size. */`), [
      "a.ts: there is no section 'Limits, page size'"
    ])
  })

  it("to a rule that is not there are faults", () => {
    assert.deepStrictEqual(faultsOf(`/** ${WORD}: API keys 2 and 3. */`), ["a.ts: 'API keys' has no rule 3"])
    assert.deepStrictEqual(faultsOf(`/** ${WORD}: Limits 1. */`), ["a.ts: 'Limits' has no rule 1"])
  })

  it("go by one name", () => {
    assert.deepStrictEqual(faultsOf(`/** ${"Contract"}: Limits. */`), ["a.ts: write 'Spec:', not 'Contract:'"])
  })
})

describe("the specification", () => {
  it("has a title of its own for each section", () => {
    const titles = sectionsOf(readFileSync(join(TOP_FOLDER, "docs/specification.md"), "utf8")).map(({ title }) => title)
    assert.deepStrictEqual(titles, [...new Set(titles)])
  })
})
