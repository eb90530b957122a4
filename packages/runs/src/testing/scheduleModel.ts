/** Schedules as a model has them: which of their times make a run, by the rule alone and without a store. */
import { DateTime, Result, Schema } from "effect"
import { MISSED_AFTER_MINUTES, type MissedTimes, type ScheduleId } from "../Schedule.ts"
import { parseTimetable } from "../Timetable.ts"

/** Expressions and zones that schedules of the model have. The last of them are due in hours in which clocks are moved. */
const TIMETABLES = [
  ["*/2 * * * *", "UTC"],
  ["30 * * * *", "Europe/Berlin"],
  ["0 9 * * 1-5", "America/New_York"],
  ["15 2 * * *", "Australia/Lord_Howe"],
  ["30 2 * * *", "Europe/Berlin"],
  ["*/20 0-3 * * *", "America/New_York"]
] as const

const below = (count: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: count - 1 }))

/** How many schedules a model has. */
export const SCHEDULES = 4

/** The times at which models begin: some days before clocks are moved somewhere. */
export const BEGINNINGS = ["2026-03-05T10:00:30Z", "2026-03-26T22:59:59Z", "2026-10-22T12:00:00Z"] as const

const Minutes = Schema.Literals([0, 1, 2, 3, 4, 5, 6, 7, 59, 60, 61, 1_439, 1_440, 3 * 1_440, 9 * 1_440])

/** An act of callers, of clocks or of schedulers. */
export const ScheduleAct = Schema.Union([
  Schema.TaggedStruct("Wait", { minutes: Minutes, seconds: below(60) }),
  /** So many schedulers look at the same moment. */
  Schema.TaggedStruct("Look", { schedulers: Schema.Literals([1, 2, 3]) }),
  /** A scheduler is killed before its transaction of this number commits; another takes over. */
  Schema.TaggedStruct("Kill", { transaction: below(3) }),
  Schema.TaggedStruct("Pause", { schedule: below(SCHEDULES) }),
  Schema.TaggedStruct("Resume", { schedule: below(SCHEDULES) }),
  /** By a process whose clock is late by so many minutes. */
  Schema.TaggedStruct("Change", { schedule: below(SCHEDULES), to: below(TIMETABLES.length), late: below(3) })
])
export type ScheduleAct = typeof ScheduleAct.Type

export const timetableOf = (number: number) => {
  const [cron, timezone] = TIMETABLES[number % TIMETABLES.length] ?? TIMETABLES[0]
  return { cron, timezone }
}

/** One schedule of a model. */
export interface ModelSchedule {
  readonly id: ScheduleId
  readonly missed: MissedTimes
  timetable: number
  enabled: boolean
  /** Times up to here have been dealt with, or were never to be. */
  until: DateTime.Utc
  /** The times that have made a run. */
  readonly runs: Set<string>
}

/** Deals with all times of a schedule up to `now`, as the rule has it. */
export const look = (schedule: ModelSchedule, now: DateTime.Utc): void => {
  if (!schedule.enabled) return
  const { cron, timezone } = timetableOf(schedule.timetable)
  const { next } = Result.getOrThrow(parseTimetable(cron, timezone))
  const missedBefore = DateTime.subtract(now, { minutes: MISSED_AFTER_MINUTES })
  const first = next(schedule.until)
  if (DateTime.isLessThan(first, missedBefore)) {
    if (schedule.missed === "once") schedule.runs.add(DateTime.formatIso(first))
    schedule.until = DateTime.subtract(missedBefore, { milliseconds: 1 })
  }
  for (let time = next(schedule.until); !DateTime.isGreaterThan(time, now); time = next(time)) {
    schedule.runs.add(DateTime.formatIso(time))
    schedule.until = time
  }
}
