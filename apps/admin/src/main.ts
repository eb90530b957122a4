import { runCommand, runService, VERSION } from "@agent-platform/process"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { program } from "./program.ts"

const [command] = process.argv.slice(2).filter((word) => !word.startsWith("-"))
// The scheduler logs like the other apps; every other command has something to print.
const run = command === undefined || command === "scheduler" ? runService : runCommand
run("admin", Command.run(program, { version: VERSION }).pipe(Effect.provide(NodeServices.layer)))
