/** Failures of one agent that come by the dozen: ten are told one by one, the others are counted in one notice. */
import type { NotificationId, NotificationRecord } from "@agent-platform/kernel"
import { DateTime } from "effect"

/** Failures of one agent that are told one by one within the window. */
export const FAILURES_TOLD_MAX = 10

/** The window, in minutes. A notice that counts does so for as long, from the first that it counts. */
export const FAILURES_WINDOW_MINUTES = 10

/** The longest text of a notice that counts, in characters. */
const BODY_LENGTH_MAX = 200

/** The failures that came to be counted. */
export interface CountedFailures {
  /** The notices that count them, as they are by now. */
  readonly counting: ReadonlyArray<NotificationRecord>
  /** The notices that are gone into them. */
  readonly counted: ReadonlyArray<NotificationId>
}

/** Whether a notice is one of those that are counted where there are many. */
export const isCountable = ({ about, type }: NotificationRecord): boolean => type === "run.failed" && about !== null

const minutesBefore = (at: DateTime.Utc, minutes: number) => DateTime.subtract(at, { minutes })

/** From when on notices matter to failures of this time: a notice that counts may have begun a window before its last. */
export const failuresMatterFrom = (at: DateTime.Utc): DateTime.Utc => minutesBefore(at, 2 * FAILURES_WINDOW_MINUTES)

/** How many failures a notice counts; undefined for one that tells of a single failure. */
const countOf = ({ payload }: NotificationRecord) =>
  typeof payload["count"] === "number" ? payload["count"] : undefined

const lastOf = ({ createdAt, payload }: NotificationRecord) =>
  typeof payload["last_failed_at"] === "string" ? DateTime.makeUnsafe(payload["last_failed_at"]) : createdAt

/** The notice that counts one failure more, and shows this one as the last. */
const counting = (notice: NotificationRecord, count: number, failure: NotificationRecord): NotificationRecord => ({
  ...notice,
  title: "More runs of an agent failed",
  body: `${count} more, the last of them: ${failure.body}`.slice(0, BODY_LENGTH_MAX),
  payload: { ...failure.payload, count, last_failed_at: DateTime.formatIso(failure.createdAt) }
})

/**
 * Which of these failures are counted, by what is there already. A failure is counted where ten others of the agent came within
 * ten minutes before it: in the notice that counts since less than ten minutes, or in a new one, which it becomes.
 */
export const countFailures = (
  known: ReadonlyArray<NotificationRecord>,
  fresh: ReadonlyArray<NotificationRecord>
): CountedFailures => {
  const told = new Map<string, Array<NotificationRecord>>()
  const growing = new Map<string, NotificationRecord>()
  const changed = new Map<NotificationId, NotificationRecord>()
  const counted: Array<NotificationId> = []
  const keep = (agent: string, notice: NotificationRecord) => {
    if (countOf(notice) !== undefined) growing.set(agent, notice)
    else told.set(agent, [...(told.get(agent) ?? []), notice])
  }
  const oldestFirst = [...fresh].sort((one, two) => {
    const difference = DateTime.toEpochMillis(one.createdAt) - DateTime.toEpochMillis(two.createdAt)
    return difference !== 0 ? difference : one.id < two.id ? -1 : 1
  })
  for (const notice of known) keep(notice.about ?? "", notice)
  for (const failure of oldestFirst) {
    const agent = failure.about ?? ""
    const from = minutesBefore(failure.createdAt, FAILURES_WINDOW_MINUTES)
    const current = growing.get(agent)
    const recent = (told.get(agent) ?? []).filter(({ createdAt }) => DateTime.isGreaterThan(createdAt, from))
    told.set(agent, recent)
    const isGrowing = current !== undefined && DateTime.isGreaterThan(current.createdAt, from)
    const before =
      recent.length +
      (current !== undefined && DateTime.isGreaterThan(lastOf(current), from) ? (countOf(current) ?? 0) : 0)
    if (!isGrowing && before < FAILURES_TOLD_MAX) {
      keep(agent, failure)
      continue
    }
    const next = isGrowing ? counting(current, (countOf(current) ?? 0) + 1, failure) : counting(failure, 1, failure)
    if (isGrowing) counted.push(failure.id)
    growing.set(agent, next)
    changed.set(next.id, next)
  }
  return { counting: [...changed.values()], counted }
}
