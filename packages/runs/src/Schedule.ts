/** A schedule: runs of an agent by a cron expression and a zone, and every change of it as a pure function. */
import { type OrganizationId, Uuid, type WorkspaceId } from "@agent-platform/kernel"
import { parseTimezone } from "@agent-platform/toolkit"
import { DateTime, Equal, Result, Schema } from "effect"
import type { AgentId } from "./Agent.ts"
import type { RunId } from "./Run.ts"
import { storable, storableRecord, storableText } from "./storable.ts"
import { parseTimetable, type Timetable, type TimetableFlawed } from "./Timetable.ts"

export const ScheduleId = Uuid.pipe(Schema.brand("ScheduleId"))
export type ScheduleId = typeof ScheduleId.Type

/** The handling of times that were missed: they make no run, or one run for all of them. */
export const MissedTimes = Schema.Literals(["skip", "once"])
export type MissedTimes = typeof MissedTimes.Type

/** Why a time made no run. */
export const ScheduleErrorCode = Schema.Literals([
  "missed",
  "agent_archived",
  "workspace_closed",
  "cap_reached",
  "queue_full",
  "invalid_input",
  "agent_error",
  "timetable_unknown",
  "internal_error"
])
export type ScheduleErrorCode = typeof ScheduleErrorCode.Type

/** Why a time made no run, for programs and for people. */
export interface ScheduleReason {
  readonly code: ScheduleErrorCode
  readonly detail: string
}

/** A time that made no run. */
export interface ScheduleError extends ScheduleReason {
  readonly dueAt: DateTime.Utc
}

/** The reason why schedules of an archived agent are switched off. */
export const AGENT_ARCHIVED: ScheduleReason = {
  code: "agent_archived",
  detail: "The agent is archived. Choose another agent, and enable the schedule"
}

/** The settings of a schedule. */
export interface ScheduleSettings {
  readonly agentId: AgentId
  readonly name: string | null
  readonly cron: string
  /** A name of the IANA database. */
  readonly timezone: string
  /** The message to the agent. */
  readonly prompt: string | null
  readonly input: Schema.Json
  readonly metadata: Readonly<Record<string, string>>
  readonly tags: ReadonlyArray<string>
  readonly missed: MissedTimes
  readonly enabled: boolean
}

export interface Schedule extends ScheduleSettings {
  readonly id: ScheduleId
  readonly organizationId: OrganizationId
  readonly workspaceId: WorkspaceId
  /** The next time that makes a run; null while it is not enabled. */
  readonly nextRunAt: DateTime.Utc | null
  /** No time up to this one is ever due again, whatever its settings become and whatever the clocks of processes say. */
  readonly settledUntil: DateTime.Utc | null
  /** The last run, and when it was due. The run may be erased since. */
  readonly lastRunId: RunId | null
  readonly lastRunAt: DateTime.Utc | null
  /** Why the last time made no run; null where it did. */
  readonly lastError: ScheduleError | null
  /** From 1, one more with every change of its settings. */
  readonly version: number
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

/** No such schedule in the caller's workspace. */
export class ScheduleNotFound extends Schema.TaggedError<ScheduleNotFound>()("ScheduleNotFound", {}) {}

/** The schedule is not at the version that the change was meant for. */
export class ScheduleVersionConflict extends Schema.TaggedError<ScheduleVersionConflict>()("ScheduleVersionConflict", {
  version: Schema.Int
}) {}

/** A time that makes its run this much later, in minutes, was missed. */
export const MISSED_AFTER_MINUTES = 5

const storableSettings = (settings: ScheduleSettings): ScheduleSettings => ({
  ...settings,
  timezone: parseTimezone(settings.timezone) ?? settings.timezone,
  prompt: settings.prompt === null ? null : storableText(settings.prompt),
  input: storable(settings.input),
  metadata: storableRecord(settings.metadata),
  tags: settings.tags.map(storableText)
})

const nextAfter = (timetable: Timetable, { enabled }: Pick<Schedule, "enabled">, after: DateTime.Utc) =>
  enabled ? timetable.next(after) : null

/** A new schedule. Its first time is after its creation. */
const created = (
  identity: Pick<Schedule, "id" | "organizationId" | "workspaceId">,
  settings: ScheduleSettings,
  now: DateTime.Utc
): Result.Result<Schedule, TimetableFlawed> =>
  Result.map(parseTimetable(settings.cron, settings.timezone), (timetable) => ({
    ...storableSettings(settings),
    ...identity,
    nextRunAt: nextAfter(timetable, settings, now),
    settledUntil: now,
    lastRunId: null,
    lastRunAt: null,
    lastError: null,
    version: 1,
    createdAt: now,
    updatedAt: now
  }))

const latest = (now: DateTime.Utc, settled: DateTime.Utc | null): DateTime.Utc =>
  settled === null ? now : DateTime.max(now, settled)

/**
 * The schedule with other settings: one version further, unless nothing is different. With another timetable, or switched on again, it
 * goes on from now: times that passed before are not made up for.
 */
const changed = (
  schedule: Schedule,
  settings: Partial<ScheduleSettings>,
  now: DateTime.Utc
): Result.Result<Schedule, TimetableFlawed> => {
  const after: Schedule = { ...schedule, ...storableSettings({ ...schedule, ...settings }) }
  if (Equal.equals(after, schedule)) return Result.succeed(schedule)
  const { cron, enabled, timezone } = schedule
  const next = { ...after, version: schedule.version + 1, updatedAt: now }
  if (after.cron === cron && after.timezone === timezone && after.enabled === enabled) return Result.succeed(next)
  // The clock of this process may be behind that of the last change.
  const settledUntil = latest(now, schedule.settledUntil)
  return Result.map(parseTimetable(after.cron, after.timezone), (timetable) => ({
    ...next,
    settledUntil,
    nextRunAt: nextAfter(timetable, after, settledUntil)
  }))
}

/** The earliest due time of a schedule, and how far dealing with it gets: missed times are dealt with together. */
export interface DueTime {
  readonly dueAt: DateTime.Utc
  /** Whether it makes a run. */
  readonly isRun: boolean
  /** No time up to here is due any more once this one is dealt with. */
  readonly until: DateTime.Utc
  /** The first time after `until`. */
  readonly next: DateTime.Utc
}

/**
 * The earliest time of a schedule that is due. One that is no more than `MISSED_AFTER_MINUTES` ago makes a run. An earlier one was
 * missed, and is dealt with together with all that were: `once` makes one run of them, `skip` none.
 */
const dueTime = (
  { missed, nextRunAt }: Pick<Schedule, "missed" | "nextRunAt">,
  timetable: Timetable,
  now: DateTime.Utc
): DueTime | undefined => {
  if (nextRunAt === null || DateTime.isGreaterThan(nextRunAt, now)) return undefined
  const missedBefore = DateTime.subtract(now, { minutes: MISSED_AFTER_MINUTES })
  if (DateTime.isGreaterThanOrEqualTo(nextRunAt, missedBefore)) {
    return { dueAt: nextRunAt, isRun: true, until: nextRunAt, next: timetable.next(nextRunAt) }
  }
  const until = DateTime.subtract(missedBefore, { milliseconds: 1 })
  return { dueAt: nextRunAt, isRun: missed === "once", until, next: timetable.next(until) }
}

/** The schedule after a time of it was dealt with: it made a run, or did not for a reason. */
const settled = (
  schedule: Schedule,
  { dueAt, next, until }: DueTime,
  outcome: { readonly runId: RunId } | ScheduleReason
): Schedule => ({
  ...schedule,
  nextRunAt: next,
  settledUntil: until,
  ...("runId" in outcome
    ? { lastRunId: outcome.runId, lastRunAt: dueAt, lastError: null }
    : { lastError: { ...outcome, dueAt } })
})

/** The schedule, switched off for a reason that stays. */
const ended = (schedule: Schedule, reason: ScheduleReason, now: DateTime.Utc): Schedule => ({
  ...schedule,
  enabled: false,
  nextRunAt: null,
  lastError: { ...reason, dueAt: schedule.nextRunAt ?? now },
  version: schedule.version + 1,
  updatedAt: now
})

/** The changes of a schedule, as in `Schedule.settled(schedule, due, outcome)`. */
export const Schedule = { created, changed, dueTime, settled, ended }
