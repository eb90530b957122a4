import { Command } from "effect/cli"
import { bootstrap } from "./commands/bootstrap.ts"
import { keys } from "./commands/keys.ts"
import { listen } from "./commands/listen.ts"
import { members } from "./commands/members.ts"
import { migrate } from "./commands/migrate.ts"
import { organizations } from "./commands/organizations.ts"
import { prices } from "./commands/prices.ts"
import { records } from "./commands/records.ts"
import { runScheduler, scheduler } from "./commands/scheduler.ts"
import { secrets } from "./commands/secrets.ts"
import { workspaces } from "./commands/workspaces.ts"

/** Every command of the operator. Without one it is the scheduler, so that it starts like the other apps. */
export const program = Command.make("admin", {}, () => runScheduler).pipe(
  Command.withDescription("The jobs of an operator of Agent Platform"),
  Command.withSubcommands([
    migrate,
    bootstrap,
    organizations,
    workspaces,
    members,
    keys,
    prices,
    records,
    secrets,
    listen,
    scheduler
  ])
)

/** The version that `--version` prints. */
export const VERSION = "0.1.0"
