/** Lists of runs: which ones, and where a page ends. Spec: Run list. */
import { type Page, parseId, toPage } from "@agent-platform/kernel"
import { DateTime, Option, Order } from "effect"
import type { AgentId } from "./Agent.ts"
import { isQuestionOpen, type Run, RunId, type RunStatus } from "./Run.ts"
import type { SessionId } from "./Session.ts"

/** Selects runs of a workspace; an undefined filter lets all through. Filters combine. */
export interface RunFilter {
  readonly status?: RunStatus | undefined
  /** Only those whose question is open: neither answered nor cancelled. */
  readonly isWaiting?: boolean | undefined
  readonly agentId?: AgentId | undefined
  readonly sessionId?: SessionId | undefined
  readonly tag?: string | undefined
  /** Triggered at this time or later. */
  readonly since?: DateTime.Utc | undefined
  /** Triggered before this time. */
  readonly until?: DateTime.Utc | undefined
}

/** The place of a run in a list: newest first, by the time it was triggered and then by its id. */
export type RunPosition = Pick<Run, "createdAt" | "id">

/** A page of the list: what comes after `before`, at most `limit` runs. */
export interface RunPageRequest {
  readonly limit: number
  readonly before: RunPosition | undefined
}

/** Most characters of a message that a list shows and a search looks at. */
export const OPENING_LENGTH_MAX = 200

/** Most runs that one page of a searched list looks at, so that its cost does not grow with the runs there are. */
export const RUNS_LOOKED_AT_MAX = 1_000

/** The part of a run that a search looks at: its ids, and the opening of the message that it was triggered with. */
export interface RunOpening extends Pick<Run, "createdAt" | "id" | "sessionId"> {
  readonly opening: string | null
}

/** The first `OPENING_LENGTH_MAX` characters of a message. They are counted as code points, so that no surrogate pair is cut. */
export const openingOf = (message: string | null): string | null =>
  message &&
  Array.from(message.slice(0, 2 * OPENING_LENGTH_MAX))
    .slice(0, OPENING_LENGTH_MAX)
    .join("")

/** Makes a test for a search: whether an opening contains it, in any letter case, or one of the ids begins with it. */
export const makeSearch = (search: string) => {
  const wanted = search.toLowerCase()
  return (opening: string | null, ...ids: ReadonlyArray<string>): boolean =>
    ids.some((id) => id.startsWith(wanted)) || (opening ?? "").toLowerCase().includes(wanted)
}

/** The position as text, for cursors. */
export const writePosition = ({ createdAt, id }: RunPosition): string => `${DateTime.formatIso(createdAt)} ${id}`

/** The position in a text; undefined where there is none. */
export const readPosition = (text: string): RunPosition | undefined => {
  const [time = "", idText = ""] = text.split(" ")
  const createdAt = Option.getOrUndefined(DateTime.make(time))
  const id = parseId(RunId, idText)
  return createdAt === undefined || id === undefined ? undefined : { createdAt: DateTime.toUtc(createdAt), id }
}

/** Cuts a page out of `limit + 1` runs, or openings: a store reads one more to know whether others follow. */
export const toRunPage = <Item extends RunPosition>(runs: ReadonlyArray<Item>, limit: number): Page<Item> =>
  toPage(runs, limit, writePosition)

/** Whether the filter lets a run through. */
export const matchesFilter = (run: Run, filter: RunFilter): boolean =>
  (filter.status === undefined || run.status === filter.status) &&
  (filter.isWaiting !== true || isQuestionOpen(run)) &&
  (filter.agentId === undefined || run.agentId === filter.agentId) &&
  (filter.sessionId === undefined || run.sessionId === filter.sessionId) &&
  (filter.tag === undefined || run.tags.includes(filter.tag)) &&
  (filter.since === undefined || DateTime.isGreaterThanOrEqualTo(run.createdAt, filter.since)) &&
  (filter.until === undefined || DateTime.isLessThan(run.createdAt, filter.until))

/** Orders positions as lists show them. */
export const newestFirst: Order.Order<RunPosition> = Order.flip(
  Order.combine(
    Order.mapInput(DateTime.Order, ({ createdAt }) => createdAt),
    Order.mapInput(Order.String, ({ id }) => id)
  )
)
