/** The turn of a workspace: some of its schedules that are due make their runs. */
import { atomic, freshId } from "@agent-platform/kernel"
import { currentTraceparent } from "@agent-platform/toolkit"
import { Cause, DateTime, Effect, Exit, Result } from "effect"
import type { Agent } from "../Agent.ts"
import { acceptRuns } from "../acceptance/acceptRuns.ts"
import type { Trigger } from "../acceptance/Trigger.ts"
import { ScheduleStore, type WorkspacePlace } from "../ports/ScheduleStore.ts"
import { ERROR_LENGTH_MAX, RunId } from "../Run.ts"
import {
  AGENT_ARCHIVED,
  type DueTime,
  MISSED_AFTER_MINUTES,
  Schedule,
  type ScheduleErrorCode,
  type ScheduleId,
  type ScheduleReason
} from "../Schedule.ts"
import { storableText } from "../storable.ts"
import { parseTimetable } from "../Timetable.ts"
import { recordScheduleAct } from "../use-cases/schedules/scheduleActivity.ts"
import { planOf } from "../use-cases/triggerRun.ts"
import { actorOf, commandOf } from "./commandOf.ts"

/** Most runs that are made in one transaction. */
export const TURN_MAX = 32

const reason = (code: ScheduleErrorCode, detail: string): ScheduleReason => ({ code, detail })

const MISSED = reason(
  "missed",
  `More than ${MISSED_AFTER_MINUTES} minutes had passed before a run could be made, and missed times are skipped`
)

const UNREADABLE = reason(
  "timetable_unknown",
  "The cron expression or the time zone is not known here any more. Give it others, and enable it"
)

const FAULT = reason("internal_error", "The run could not be made, for a reason that is no fault of the schedule")

/** The reasons for which a run is refused, by their tags, with what is to be done. */
const REFUSALS: Readonly<Record<string, ScheduleReason>> = {
  AgentNotFound: AGENT_ARCHIVED,
  WorkspaceClosed: reason("workspace_closed", "The workspace is being erased"),
  CapReached: reason("cap_reached", "The workspace's spend cap of this month was reached"),
  QueueFull: reason("queue_full", "The workspace had as many queued runs as it may have"),
  InputSchemaMismatch: reason("invalid_input", "The input does not have the form that the agent asks for"),
  RecipeUnknown: reason("agent_error", "The agent's recipe is not registered here"),
  AgentFlawed: reason("agent_error", "The agent's recipe cannot work with one of its settings")
}

/** Reasons that stay: nothing but a change of the schedule, if anything, has it make runs again. */
const isFinal = ({ code }: ScheduleReason): boolean =>
  code === "agent_archived" || code === "workspace_closed" || code === "timetable_unknown"

const reasonOf = (refusal: { readonly _tag: string; readonly detail?: unknown }): ScheduleReason => {
  const known = REFUSALS[refusal._tag] ?? FAULT
  return known.code === "invalid_input" && typeof refusal.detail === "string"
    ? { ...known, detail: storableText(`${known.detail}: ${refusal.detail}`.slice(0, ERROR_LENGTH_MAX)) }
    : known
}

/** A schedule that is due, with its time; undefined where its expression or zone is not known here. */
interface Due {
  readonly schedule: Schedule
  readonly time: DueTime | undefined
}

type Making = Due & { readonly time: DueTime }

const isMaking = (due: Due): due is Making => due.time?.isRun === true

/** The outcome of a time: its run, or the reason why it made none. */
type Outcome = { readonly runId: RunId } | ScheduleReason

const triggerOf = Effect.fnUntraced(function* ({ schedule, time }: Making) {
  const command = commandOf(schedule, time.dueAt)
  return {
    runId: yield* freshId(RunId),
    trace: yield* currentTraceparent,
    caller: command.caller,
    idempotency: undefined,
    agentId: schedule.agentId,
    isShareable: false,
    // Checking an input can take a moment: between two of a turn others of this process go on.
    plan: (agent: Agent | undefined) => Effect.andThen(Effect.yieldNow, planOf(command, agent, "alone"))
  } satisfies Trigger<unknown>
})

const scheduleAfter = ({ schedule, time }: Due, outcome: Outcome, now: DateTime.Utc): Schedule => {
  if ("code" in outcome && isFinal(outcome)) return Schedule.ended(schedule, outcome, now)
  return time === undefined ? schedule : Schedule.settled(schedule, time, outcome)
}

/** Writes what became of the times, and an entry where a schedule is switched off. */
const write = Effect.fnUntraced(function* (
  all: ReadonlyArray<{ readonly due: Due; readonly outcome: Outcome }>,
  now: DateTime.Utc
) {
  const store = yield* ScheduleStore
  const schedules = all.map(({ due, outcome }) => scheduleAfter(due, outcome, now))
  yield* store.update(schedules)
  for (const schedule of schedules) {
    if (schedule.enabled) continue
    const { organizationId, workspaceId } = schedule
    const itself = { organizationId, workspaceId, actor: actorOf(schedule) }
    yield* recordScheduleAct(itself, "ended", schedule, { error_code: schedule.lastError?.code ?? null })
  }
})

/** Makes the runs of schedules that are due, all in the caller's transaction, and returns how many there were. */
const settle = Effect.fnUntraced(function* (held: ReadonlyArray<Schedule>, now: DateTime.Utc) {
  const all = held.map((schedule): Due => {
    const timetable = parseTimetable(schedule.cron, schedule.timezone)
    return {
      schedule,
      time: Result.isSuccess(timetable) ? Schedule.dueTime(schedule, timetable.success, now) : undefined
    }
  })
  const making = all.filter(isMaking)
  const triggers = yield* Effect.forEach(making, triggerOf)
  const answers = triggers.length === 0 ? [] : yield* acceptRuns(triggers, "alone")
  const made = new Map(making.map((due, index) => [due.schedule.id, answers[index]]))
  const outcomes = all.map((due): Outcome => {
    if (due.time === undefined) return UNREADABLE
    const answer = made.get(due.schedule.id)
    // No run was asked for: the time was missed, and its schedule skips missed times.
    if (answer === undefined) return MISSED
    return Result.isSuccess(answer) ? { runId: answer.success.value.id } : reasonOf(answer.failure)
  })
  yield* write(
    all.map((due, index) => ({ due, outcome: outcomes[index] as Outcome })),
    now
  )
  return outcomes.filter((outcome) => "runId" in outcome).length
})

/** Leaves the due time of one schedule without a run, after making it has failed by a fault of ours, so that it holds up no others. */
const giveUp = Effect.fnUntraced(function* (workspace: WorkspacePlace, only: ScheduleId) {
  const store = yield* ScheduleStore
  const now = yield* DateTime.now
  for (const schedule of yield* store.holdDue({ workspace, at: now, max: 1, only })) {
    const timetable = Result.getOrThrow(parseTimetable(schedule.cron, schedule.timezone))
    yield* write([{ due: { schedule, time: Schedule.dueTime(schedule, timetable, now) }, outcome: FAULT }], now)
  }
}, atomic)

/**
 * A portion of a workspace's schedules that are due, in one transaction. `onHeld` is told which they are, since a transaction that fails
 * answers nothing.
 */
const portion = Effect.fnUntraced(function* (
  query: { readonly workspace: WorkspacePlace; readonly max: number; readonly only?: ScheduleId | undefined },
  onHeld: (held: ReadonlyArray<Schedule>) => void
) {
  const store = yield* ScheduleStore
  const now = yield* DateTime.now
  const held = yield* store.holdDue({ ...query, at: now })
  onHeld(held)
  return { runs: yield* settle(held, now), settled: held.length, isLast: held.length < query.max }
}, atomic)

/**
 * Deals with up to `TURN_MAX` schedules of a workspace that are due, one time of each: a run is made, or the reason why it is not is
 * written, in the transaction in which the schedule moves on to its next time. Where that fails they are tried one by one, and one that
 * fails alone is left without a run. `isLast` says that no other was due.
 */
export const settleDue = Effect.fnUntraced(function* (workspace: WorkspacePlace) {
  let held: ReadonlyArray<Schedule> = []
  return yield* Effect.catchCause(
    portion({ workspace, max: TURN_MAX }, (given) => {
      held = given
    }),
    Effect.fnUntraced(function* (cause) {
      if (held.length === 0 || Cause.hasInterruptsOnly(cause)) return yield* Effect.failCause(cause)
      yield* Effect.logWarning("Runs of schedules could not be made together, and are made one by one", cause)
      let runs = 0
      for (const { id: only } of held) {
        const one = yield* Effect.exit(portion({ workspace, max: 1, only }, () => undefined))
        if (Exit.isSuccess(one)) runs += one.value.runs
        else if (Cause.hasInterruptsOnly(one.cause)) return yield* Effect.failCause(one.cause)
        else {
          yield* Effect.logError(`The schedule ${only} made no run`, one.cause)
          yield* giveUp(workspace, only)
        }
      }
      return { runs, settled: held.length, isLast: held.length < TURN_MAX }
    })
  )
})
