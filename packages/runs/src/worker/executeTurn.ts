import { untilDone } from "@agent-platform/toolkit"
import { Cause, DateTime, Effect } from "effect"
import { Agent } from "../Agent.ts"
import { openAgentSecrets } from "../agentSecrets.ts"
import { endingOf } from "../endingOf.ts"
import { loggable, TOO_DEEP } from "../loggable.ts"
import { AgentRunner, type Turn } from "../ports/AgentRunner.ts"
import { RunLog } from "../ports/RunLog.ts"
import { makeRedactor } from "../Redactor.ts"
import { failedTurn, failure, type Run } from "../Run.ts"
import { awaiting, type Execution, type Outcome, outcomeOf } from "./Execution.ts"

const BROKEN = outcomeOf(failure("internal_error", "The recipe failed unexpectedly"))

/** How many bytes the log of a run has from executions before this one. It is measured only where there may be one. */
const loggedBefore = Effect.fnUntraced(function* ({ attempt, id }: Run) {
  if (attempt === 1) return 0
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
      // A refused run is about to be interrupted. Yielding lets that happen, however fast its recipe emits.
      if (refusal() !== undefined) return Effect.yieldNow
      const kept = loggable(given, redactor)
      if (kept === undefined) {
        refuse("agent_error", TOO_DEEP)
        return Effect.yieldNow
      }
      const { bytes, data } = kept
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
    Effect.map(
      (outcome) =>
        refusal() ??
        (outcome._tag === "AwaitsCallback" ? awaiting(outcome.seconds) : outcomeOf(endingOf(outcome, redactor)))
    ),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : Effect.as(Effect.logError(`Run ${run.id} failed unexpectedly`, cause), refusal() ?? BROKEN)
    )
  )
})
