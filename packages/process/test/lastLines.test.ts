/** The lines that a process logs right before it ends. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const PROGRAM = fileURLToPath(new URL("fixtures/lastLines.ts", import.meta.url))

describe("the last lines of a process", () => {
  // It is a program for Node, which `process.execPath` is not on Deno.
  it.live.skipIf("Deno" in globalThis)("are written in their order, however slowly they are taken", () =>
    Effect.gen(function* () {
      const environment = { PATH: process.env["PATH"], UV_THREADPOOL_SIZE: "1" }
      const { stdout } = yield* Effect.promise(() =>
        promisify(execFile)(process.execPath, [PROGRAM], { env: environment })
      )
      const lines = stdout.trim().split("\n")
      assert.deepStrictEqual(
        lines.map((line) => JSON.parse(line).msg),
        ["first", "second", "last"]
      )
    })
  )
})
