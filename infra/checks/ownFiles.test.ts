/** Holds that no process keeps files beside Postgres, and proves that a way to write one is seen. */
import { assert, describe, it } from "@effect/vitest"
import { ownFileViolations } from "./ownFiles.ts"
import { readRepository, TOP_FOLDER } from "./repository.ts"

const { files } = readRepository(TOP_FOLDER)

describe("files of processes", () => {
  it("are written by none but the command that is asked for one", () =>
    assert.deepStrictEqual(files.flatMap(ownFileViolations), []))

  it("are seen by the imports that writing takes, in packages and in apps that serve", () => {
    const seen = [
      'import { writeFileSync } from "node:fs"',
      'import { mkdtemp, readFile } from "node:fs/promises"',
      'import * as fs from "node:fs"',
      'import { Effect, FileSystem } from "effect"\nfiles.writeFileString(path, text)',
      'import { spawn } from "node:child_process"',
      'const files = await import("node:fs")'
    ]
    for (const text of seen) {
      assert.lengthOf(ownFileViolations({ path: "packages/runs/src/planted.ts", text }), 1, text)
      assert.lengthOf(ownFileViolations({ path: "apps/worker/src/planted.ts", text }), 1, text)
      assert.lengthOf(ownFileViolations({ path: "packages/runs/test/planted.ts", text }), 0, text)
    }
    const reading = 'import { readFileSync } from "node:fs"\nimport { FileSystem } from "effect"\nfiles.stream(path)'
    assert.deepStrictEqual(ownFileViolations({ path: "apps/api/src/planted.ts", text: reading }), [])
  })
})
