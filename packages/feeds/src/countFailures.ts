/** Failures of one agent that come by the dozen: ten get a notice each, the others are counted in one notice. */
import type { NotificationId, NotificationRecord } from "@agent-platform/kernel"
import { DateTime } from "effect"

/** How many failures of one agent get a notice each within the window. */
export const FAILURES_TOLD_MAX = 10

/** The window, in minutes. A counting notice takes failures for as long, from the first that it counts. */
export const FAILURES_WINDOW_MINUTES = 10

/** The longest text of a counting notice, in characters. */
const BODY_LENGTH_MAX = 200

/** The outcome of counting failures. */
export interface CountedFailures {
  /** The counting notices that are new or changed. */
  readonly counting: ReadonlyArray<NotificationRecord>
  /** The notices of single failures that are counted in them now, and go. */
  readonly counted: ReadonlyArray<NotificationId>
}

/** Whether a notice is one of those that are counted when there are many. */
export const isCountable = ({ about, type }: NotificationRecord): boolean => type === "run.failed" && about !== null

const minutesBefore = (at: DateTime.Utc, minutes: number) => DateTime.subtract(at, { minutes })

/**
 * The time from which on notices decide whether failures of `at` are counted. It is two windows earlier, since a counting notice
 * may have begun a window before its last failure.
 */
export const failuresMatterFrom = (at: DateTime.Utc): DateTime.Utc => minutesBefore(at, 2 * FAILURES_WINDOW_MINUTES)

/** How many failures a counting notice counts; undefined for the notice of a single failure. */
const countOf = ({ payload }: NotificationRecord) =>
  typeof payload["count"] === "number" ? payload["count"] : undefined

/** When the last failure of a notice was, whether it counts several or reports one. */
const lastOf = ({ createdAt, payload }: NotificationRecord) =>
  typeof payload["last_failed_at"] === "string" ? DateTime.makeUnsafe(payload["last_failed_at"]) : createdAt

/** The counting notice with this count, which shows this failure as the last. */
const withCount = (notice: NotificationRecord, count: number, failure: NotificationRecord): NotificationRecord => ({
  ...notice,
  title: "More runs of an agent failed",
  body: `${count} more, the last of them: ${failure.body}`.slice(0, BODY_LENGTH_MAX),
  payload: { ...failure.payload, count, last_failed_at: DateTime.formatIso(failure.createdAt) }
})

/**
 * Decides which of the `fresh` failures are counted, by the notices that are `known` already. If the agent has a counting notice that
 * began less than ten minutes before a failure, the failure is counted there. Else, if ten others of the agent came within ten
 * minutes before it, its own notice becomes a counting one.
 */
export const countFailures = (
  known: ReadonlyArray<NotificationRecord>,
  fresh: ReadonlyArray<NotificationRecord>
): CountedFailures => {
  // The notices of single failures and the newest counting notice, both by agent.
  const singles = new Map<string, Array<NotificationRecord>>()
  const counters = new Map<string, NotificationRecord>()
  const changed = new Map<NotificationId, NotificationRecord>()
  const counted: Array<NotificationId> = []
  const remember = (agent: string, notice: NotificationRecord) => {
    if (countOf(notice) !== undefined) counters.set(agent, notice)
    else singles.set(agent, [...(singles.get(agent) ?? []), notice])
  }
  const oldestFirst = [...fresh].sort((one, two) => {
    const difference = DateTime.toEpochMillis(one.createdAt) - DateTime.toEpochMillis(two.createdAt)
    return difference !== 0 ? difference : one.id < two.id ? -1 : 1
  })
  for (const notice of known) remember(notice.about ?? "", notice)
  for (const failure of oldestFirst) {
    const agent = failure.about ?? ""
    const from = minutesBefore(failure.createdAt, FAILURES_WINDOW_MINUTES)
    const counter = counters.get(agent)
    const recent = (singles.get(agent) ?? []).filter(({ createdAt }) => DateTime.isGreaterThan(createdAt, from))
    singles.set(agent, recent)
    const isGrowing = counter !== undefined && DateTime.isGreaterThan(counter.createdAt, from)
    const hasCountedRecently = counter !== undefined && DateTime.isGreaterThan(lastOf(counter), from)
    // A counting notice that takes no more still shows how many there were, as long as its last failure is recent.
    const countBefore = recent.length + (hasCountedRecently ? (countOf(counter) ?? 0) : 0)
    if (!isGrowing && countBefore < FAILURES_TOLD_MAX) {
      remember(agent, failure)
      continue
    }
    const next = isGrowing ? withCount(counter, (countOf(counter) ?? 0) + 1, failure) : withCount(failure, 1, failure)
    if (isGrowing) counted.push(failure.id)
    counters.set(agent, next)
    changed.set(next.id, next)
  }
  return { counting: [...changed.values()], counted }
}
