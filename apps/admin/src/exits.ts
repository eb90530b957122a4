/** The exit codes of the admin program, and what each means; for the reference. */
import { EXIT_CONFIGURATION, EXIT_FAILED, EXIT_REFUSED, EXIT_USAGE } from "@agent-platform/process"

export const EXITS: ReadonlyArray<{ readonly code: number; readonly means: string }> = [
  {
    code: 0,
    means: "Done; or there was nothing to do, or another does it already; or it was asked to stop and has stopped"
  },
  { code: EXIT_FAILED, means: "It was begun and went wrong, or could not be begun: the database is away" },
  { code: EXIT_USAGE, means: "The command line was not understood; what is wrong with it stands on standard error" },
  {
    code: EXIT_REFUSED,
    means:
      "It was refused as things are, or found something that has to be done: `migrate --check`, `doctor`, `activity verify`"
  },
  { code: EXIT_CONFIGURATION, means: "A setting is wrong or missing; the variable is named" }
]
