import { runCommand } from "@agent-platform/process"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { program, VERSION } from "./program.ts"

runCommand("admin", Command.run(program, { version: VERSION }).pipe(Effect.provide(NodeServices.layer)))
