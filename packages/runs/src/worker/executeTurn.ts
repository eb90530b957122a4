import { isTooDeep, NESTING_MAX } from "@agent-platform/kernel"
import { untilDone } from "@agent-platform/toolkit"
import { Cause, DateTime, Effect } from "effect"
import { Agent } from "../Agent.ts"
import { openAgentSecrets } from "../agentSecrets.ts"
import { endingOf } from "../endingOf.ts"
import { AgentRunner, type Turn } from "../ports/AgentRunner.ts"
import { RunLog } from "../ports/RunLog.ts"
import { makeRedactor } from "../Redactor.ts"
import { failedTurn, failure, type Run } from "../Run.ts"
import { keptData } from "../RunEvent.ts"
import { type Execution, type Outcome, outcomeOf } from "./Execution.ts"

const BROKEN = outcomeOf(failure("internal_error", "The recipe failed unexpectedly"))

/** A run that began longer ago was executed before: a run that was handed back begins the same attempt again. */
const BEGUN_MILLIS_MAX = 1_000

/** How many bytes the log of a run has from executions before this one. It is measured only where there may be one. */
const loggedBefore = Effect.fnUntraced(function* ({ attempt, id, startedAt }: Run) {
  const now = yield* DateTime.now
  const age = DateTime.toEpochMillis(now) - DateTime.toEpochMillis(startedAt ?? now)
  if (attempt === 1 && age < BEGUN_MILLIS_MAX) return 0
  return yield* untilDone(
    "Measuring a run's log",
    RunLog.use((log) => log.bytes(id))
  )
})

/**
 * Executes the turn of a claimed run by its recipe. Its events and its outcome are bounded and redacted here, before they
 * reach anything else; output that cannot be taken fails the run.
 */
export const executeTurn = Effect.fnUntraced(function* (
  { checkpoint, claimed, refusal, refuse, writes }: Execution,
  { logBytesMax }: { readonly logBytesMax: number }
): Effect.fn.Return<Outcome, never, AgentRunner | RunLog | Effect.Services<ReturnType<typeof openAgentSecrets>>> {
  const runner = yield* AgentRunner
  const { run } = claimed
  const agent = Agent.overridden(claimed.agent, run.overrides)
  const redactor = makeRedactor(...(yield* openAgentSecrets(agent)))
  let logged = yield* loggedBefore(run)

  const emit: Turn["emit"] = (type, given) =>
    Effect.suspend(() => {
      if (refusal() !== undefined) return Effect.yieldNow
      if (isTooDeep(given)) {
        refuse("agent_error", `An event of the run's log is nested deeper than ${NESTING_MAX} levels`)
        return Effect.yieldNow
      }
      const { bytes, data } = keptData(redactor.json(given) as typeof given)
      logged += bytes
      if (logged > logBytesMax) {
        refuse("output_too_large", `The run's log is larger than ${logBytesMax} bytes`)
        return Effect.yieldNow
      }
      return Effect.flatMap(DateTime.now, (createdAt) =>
        writes.log({ type, createdAt, attempt: run.attempt, data }, bytes)
      )
    })

  return yield* runner.execute({ run, agent, emit, checkpoint, redactor }).pipe(
    Effect.timeoutOrElse({
      duration: `${run.maxDurationSeconds} seconds`,
      orElse: () =>
        Effect.succeed(failedTurn("timed_out", `The run took longer than ${run.maxDurationSeconds} seconds`))
    }),
    Effect.map((outcome) => refusal() ?? outcomeOf(endingOf(outcome, redactor))),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.as(Effect.logError(`Run ${run.id} failed unexpectedly`, cause), refusal() ?? BROKEN)
    )
  )
})
