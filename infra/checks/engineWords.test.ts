import { assert, describe, it } from "@effect/vitest"
import { allEngineWords, engineWords } from "./engineWords.ts"
import { readRepository, TOP_FOLDER } from "./repository.ts"

const { files } = readRepository(TOP_FOLDER)
const RUN = "packages/runs/src/Run.ts"

const subjectsIn = (text: string, path = RUN) =>
  engineWords({ path, text }).map((one) => one.replace(/^\S+:(\d+) speaks of /, "$1 "))

describe("The domains", () => {
  it("speak of no machinery outside of their workers' engines", () => assert.deepStrictEqual(allEngineWords(files), []))
})

describe("Speaking of machinery", () => {
  it("is noticed in comments and in code, by line", () => {
    assert.deepStrictEqual(subjectsIn("// V8 keeps it\nconst statements = 1\n/* garbage of a GC */"), [
      "1 V8",
      "2 statements",
      "3 garbage",
      "3 garbage"
    ])
    assert.deepStrictEqual(subjectsIn("// The row lock: a save locks the row, for 31 processes"), [
      "1 row locks",
      "1 row locks",
      "1 how many processes there are"
    ])
  })

  it("is noticed where a comment goes on in the next line", () => {
    assert.deepStrictEqual(
      subjectsIn("/**\n * It saves a round\n * trip, however many processes\n * there are.\n */"),
      ["2 round trips", "3 how many processes there are"]
    )
    assert.deepStrictEqual(subjectsIn("// One row\n// lock"), ["1 row locks"])
  })

  it("is not what only looks like it", () => {
    const text = "const estatements = groundTrip // all processes together, every process, a locked door, GCS"
    assert.deepStrictEqual(subjectsIn(text), [])
  })

  it("is for workers' engines, adapters and tests", () => {
    for (const path of [
      "packages/runs/src/worker/batch.ts",
      "packages/webhooks/src/worker/sending/Sender.ts",
      "packages/postgres/src/runs/claim.ts",
      "packages/runs/test/Run.test.ts"
    ]) {
      assert.deepStrictEqual(subjectsIn("// V8", path), [], path)
    }
    for (const path of ["packages/keys/src/ports/Store.ts", "packages/billing/src/workers.ts"]) {
      assert.deepStrictEqual(subjectsIn("// V8", path), ["1 V8"], path)
    }
  })

  it("is found in any of many files", () => {
    const quiet = { path: "packages/keys/src/Keys.ts", text: "// Said in the domain's words" }
    assert.deepStrictEqual(allEngineWords([quiet, { path: RUN, text: "// One statement" }]), [
      `${RUN}:1 speaks of statements`
    ])
  })
})
