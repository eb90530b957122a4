/** The preparation of `npm start`, inside the scheduler's process and before that is given its settings. */
import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { appOf, emptyDatabase } from "../../../packages/postgres/test/support/database.ts"
import { INHERITED } from "./program.ts"

const PREPARE = new URL("../src/prepare.ts", import.meta.url).href

describe("the preparation of a start", () => {
  it.live("leaves the process able to read settings that it is given afterwards", () =>
    Effect.gen(function* () {
      const ownerUrl = yield* emptyDatabase
      const options = {
        databaseUrl: Redacted.value(appOf(ownerUrl)),
        databaseOwnerUrl: Redacted.value(ownerUrl),
        secretsKey: "key",
        known: null
      }
      const program = `
      import { Config, Effect } from "effect"
      import { prepare } from "${PREPARE}"
      await prepare(${JSON.stringify(options)})
      process.env.GIVEN_LATER = "seen"
      console.log(await Effect.runPromise(Config.String("GIVEN_LATER")))
      process.exit(0)
    `
      const child = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
        cwd: new URL("..", import.meta.url),
        env: INHERITED,
        encoding: "utf8"
      })
      assert.strictEqual(child.stdout, "seen\n", child.stderr)
    })
  )
})
