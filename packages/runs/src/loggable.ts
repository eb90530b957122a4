/** The data that a turn may write into the log of its run. */
import { isTooDeep, NESTING_MAX } from "@agent-platform/kernel"
import type { Redactor } from "./Redactor.ts"
import { keptData, type RunEvent } from "./RunEvent.ts"

/** Why a run fails whose event is nested too deep. */
export const TOO_DEEP = `An event of the run's log is nested deeper than ${NESTING_MAX} levels`

/** The data of an event without secrets, as the log keeps it, and its size in bytes; undefined where it is nested too deep. */
export const loggable = (given: RunEvent["data"], redactor: Redactor): ReturnType<typeof keptData> | undefined =>
  isTooDeep(given) ? undefined : keptData(redactor.json(given) as typeof given)
