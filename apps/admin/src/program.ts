import { Command } from "effect/cli"
import { activity } from "./commands/activity.ts"
import { bootstrap } from "./commands/bootstrap.ts"
import { database } from "./commands/database.ts"
import { deliveries } from "./commands/deliveries.ts"
import { doctor } from "./commands/doctor.ts"
import { jobs } from "./commands/jobs.ts"
import { keys } from "./commands/keys.ts"
import { listen } from "./commands/listen.ts"
import { members } from "./commands/members.ts"
import { migrate } from "./commands/migrate.ts"
import { organizations } from "./commands/organizations.ts"
import { prices } from "./commands/prices.ts"
import { records } from "./commands/records.ts"
import { runs } from "./commands/runs.ts"
import { runScheduler, scheduler } from "./commands/scheduler.ts"
import { secrets } from "./commands/secrets.ts"
import { supportBundle } from "./commands/supportBundle.ts"
import { workspaces } from "./commands/workspaces.ts"
import { described, JsonFlag } from "./described.ts"

/** Every command of the operator. Without one it is the scheduler, so that it starts like the other apps. */
export const program = Command.make("admin", {}, () => runScheduler).pipe(
  described({
    does: "The work of an operator of Agent Platform; without a command, the scheduler",
    examples: ["", "jobs list --json"]
  }),
  Command.withSubcommands([
    migrate,
    database,
    bootstrap,
    organizations,
    workspaces,
    members,
    keys,
    prices,
    records,
    runs,
    deliveries,
    activity,
    secrets,
    jobs,
    doctor,
    supportBundle,
    listen,
    scheduler
  ]),
  Command.withGlobalFlags([JsonFlag])
)
