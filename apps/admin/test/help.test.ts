/** The help of every command, and how the program ends for input it cannot parse. */
import { spawnSync } from "node:child_process"
import { EXIT_CONFIGURATION, EXIT_FAILED, EXIT_REFUSED, EXIT_USAGE } from "@agent-platform/process"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { type Command, Completions } from "effect/cli"
import { commands } from "../src/commandTree.ts"
import { JsonExample } from "../src/described.ts"
import { EXITS } from "../src/exits.ts"
import { helpOf } from "../src/helpOf.ts"
import { program } from "../src/program.ts"
import { runAdminIn } from "./program.ts"

const named = commands.map((one) => ({ ...one, name: ["admin", ...one.path].join(" ") }))

/** The words of a command line, as a shell takes them apart. */
const wordsOf = (line: string) =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "")

describe("every command", () => {
  for (const { command, name, path } of named) {
    it.effect(`describes itself, its flags and arguments, and shows each of them at work: ${name}`, () =>
      Effect.gen(function* () {
        const help = yield* helpOf(path)
        assert.notStrictEqual(help.description, "")
        assert.isNotEmpty(help.examples ?? [])
        const examples = (help.examples ?? []).map((example) => example.command)
        for (const flag of help.flags) {
          assert.strictEqual(flag.description._tag, "Some", flag.name)
          assert.isTrue(
            examples.some((line) => wordsOf(line).includes(`--${flag.name}`)),
            `--${flag.name} in an example`
          )
        }
        for (const argument of help.args ?? []) assert.strictEqual(argument.description._tag, "Some", argument.name)
        for (const line of examples) assert.isTrue(line.startsWith(name), line)
        assert.strictEqual(command.examples.length, examples.length)
      }).pipe(Effect.provide(NodeServices.layer))
    )
  }

  it.effect("has every flag that it requires in each of its examples", () =>
    Effect.gen(function* () {
      for (const { name, path } of named) {
        const help = yield* helpOf(path)
        for (const flag of help.flags.filter(({ required }) => required)) {
          for (const { command: line } of help.examples ?? []) {
            assert.isTrue(wordsOf(line).includes(`--${flag.name}`), `${name}: --${flag.name} in ${line}`)
          }
        }
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("shows examples that are understood", () =>
    Effect.gen(function* () {
      // Those that speak with others than the database go on until somebody answers, and a bundle is written without one.
      const strangers = ["listen", "doctor", "support-bundle"]
      const ends = named.filter(
        ({ command: { name, subcommands } }) => subcommands.length === 0 && !strangers.includes(name)
      )
      for (const { command } of ends) {
        for (const { command: line } of command.examples) {
          const { code, err } = yield* runAdminIn({}, ...wordsOf(line).slice(1))
          // Without a database nothing can be done, but what was asked for is understood.
          assert.include([EXIT_CONFIGURATION, EXIT_REFUSED], code, `${line}: ${err}`)
        }
      }
    })
  )

  it("that prints shows what it prints, and the others nothing", () => {
    const silent = named.filter(({ command }) => command.subcommands.length > 0 || command.name === "scheduler")
    for (const { command, name } of named) {
      const printed = Context.getOrUndefined(command.annotations, JsonExample)
      assert.strictEqual(
        printed === undefined,
        silent.some((one) => one.name === name),
        name
      )
    }
  })
})

describe("the program", () => {
  it.effect("ends with 2 where it is not understood, says why, and prints nothing but help", () =>
    Effect.gen(function* () {
      for (const args of [
        ["dishes"],
        ["jobs"],
        ["jobs", "list", "--loud"],
        ["jobs", "run"],
        ["jobs", "history", "--limit", "0"]
      ]) {
        const { code } = yield* runAdminIn({}, ...args)
        assert.strictEqual(code, EXIT_USAGE, args.join(" "))
      }
      const { code, err, out } = yield* runAdminIn({}, "jobs", "--help")
      assert.deepStrictEqual([code, err], [0, ""])
      assert.include(out, "admin jobs")
    })
  )

  it("names every exit code that it ends with", () => {
    assert.sameMembers(
      EXITS.map(({ code }) => code),
      [0, EXIT_FAILED, EXIT_USAGE, EXIT_REFUSED, EXIT_CONFIGURATION]
    )
  })

  it.effect("prints completions that bash takes, and that know commands, jobs and flags", () =>
    Effect.gen(function* () {
      const { code, out } = yield* runAdminIn({}, "--completions", "bash")
      assert.strictEqual(code, 0)
      assert.strictEqual(
        out.trim(),
        Completions.generate("admin", "bash", Completions.fromCommand(program as Command.Command.Any)).trim()
      )
      const complete = (...words: ReadonlyArray<string>) => {
        const line = words.join(" ")
        const script = `${out}
COMP_LINE='${line}' COMP_POINT=${line.length} COMP_CWORD=${words.length - 1}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")})
_admin admin '${words.at(-1)}' '${words.at(-2)}'
printf '%s\\n' "\${COMPREPLY[@]}"`
        const { status, stderr, stdout } = spawnSync("bash", ["--norc", "-c", script], { encoding: "utf8" })
        assert.strictEqual(status, 0, stderr)
        return stdout.split("\n").filter((word) => word !== "")
      }
      assert.includeMembers(complete("admin", ""), ["jobs", "doctor", "migrate"])
      assert.deepStrictEqual(complete("admin", "jobs", "hi"), ["history"])
      assert.includeMembers(complete("admin", "jobs", "run", "--d"), ["--dry-run"])
    })
  )
})
