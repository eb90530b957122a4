import { runCommand } from "@agent-platform/process"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { bootstrap } from "./commands/bootstrap.ts"
import { listen } from "./commands/listen.ts"
import { migrate } from "./commands/migrate.ts"
import { runScheduler, scheduler } from "./commands/scheduler.ts"

/** Without a command it is the scheduler, so that it starts like the other apps. */
const admin = Command.make("admin", {}, () => runScheduler).pipe(
  Command.withDescription("The jobs of an operator of Agent Platform"),
  Command.withSubcommands([migrate, bootstrap, listen, scheduler])
)

runCommand("admin", Command.run(admin, { version: "0.1.0" }).pipe(Effect.provide(NodeServices.layer)))
