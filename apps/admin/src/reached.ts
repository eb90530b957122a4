import { faultOf } from "@agent-platform/platform"
import { askDatabase } from "@agent-platform/postgres"
import { CommandFailed } from "@agent-platform/process"
import { Cause, Effect } from "effect"

/** Makes sure of the database before anything is begun. Fails with CommandFailed, which says in a line why it cannot be reached. */
export const reached = Effect.mapError(
  askDatabase,
  (error) => new CommandFailed({ message: `The database cannot be reached: ${faultOf(Cause.fail(error))}` })
)
