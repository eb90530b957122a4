/** Parsing of flags by commands for developers, shown by one that takes some of each kind. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"

const COMMAND = fileURLToPath(new URL("../../worst/worst.ts", import.meta.url))

const run = (...args: ReadonlyArray<string>) => spawnSync(process.execPath, [COMMAND, ...args], { encoding: "utf8" })

describe("a command for developers", () => {
  it("prints its flags when it is asked for help", () => {
    const { status, stderr, stdout } = run("--help")
    assert.deepStrictEqual([status, stderr], [0, ""])
    assert.match(stdout, /^npm run test:worst \[-- FLAGS\]\n/)
    assert.match(stdout, /^ {2}--seed N +Chooses what is in a sample; 1 without it$/m)
    assert.match(stdout, /^ {2}--all +Print every row/m)
  })

  it.each([
    ["--everything", "Unknown option '--everything'"],
    ["--seed=x", "--seed takes a number"],
    ["--only", "Option '--only <value>' argument missing"]
  ])("prints them beside what is wrong with %s, and ends with 64", (flag, said) => {
    const { status, stderr, stdout } = run(flag)
    assert.deepStrictEqual([status, stdout], [64, ""])
    assert.include(stderr, `${said}\nnpm run test:worst [-- FLAGS]\n`)
  })
})
