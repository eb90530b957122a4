/** The portions of an erasure. Each is one transaction, which also writes how far the erasure has come. */
import { LedgerEraser } from "@agent-platform/billing"
import { FeedEraser } from "@agent-platform/feeds"
import {
  addCounts,
  atomic,
  type Erased,
  type ErasedPerson,
  type ErasedPortion,
  Erasure,
  ErasureStore,
  isErasureFinished,
  type OrganizationId,
  type WorkspaceId
} from "@agent-platform/kernel"
import { KeyEraser } from "@agent-platform/keys"
import { endRuns, RunEraser, type RunSelection } from "@agent-platform/runs"
import { Data, Effect } from "effect"
import { eraseAll } from "./erasers.ts"

/** How many runs are erased in one transaction, with all that belongs to them, and how many rows of each kind of a tenant. */
const RUNS_MAX = 50
const ROWS_MAX = 1_000

/** How many runs are cancelled in one transaction. */
const CANCELLED_MAX = 50

/** The outcome of a portion: there is more, others hold what is left (such as unfinished runs), or nothing is left. */
export type PortionOutcome = "more" | "wait" | "nothing"

/** Undoes a portion, since others still hold some of its rows. */
class StillHeld extends Data.TaggedError("StillHeld")<object> {}

const outcomeOf = ({ counts, isOver }: ErasedPortion): PortionOutcome =>
  Object.values(counts).some((count) => count > 0) ? "more" : isOver ? "nothing" : "wait"

/** Erases a portion and adds its counts to the erasure, in one transaction. Does nothing if the erasure has ended. */
const asPortion = <E, R>(erasure: Erasure, act: Effect.Effect<ErasedPortion, E, R>) =>
  atomic(
    Effect.gen(function* () {
      const store = yield* ErasureStore
      const before = yield* store.findToChange(erasure.organizationId, erasure.id)
      if (before === undefined || isErasureFinished(before)) return "nothing" as const
      const portion = yield* act
      const outcome = outcomeOf(portion)
      if (outcome === "more") yield* store.replace(Erasure.advanced(before, portion.counts))
      return outcome
    })
  )

/** Cancels some unfinished runs of a selection. False when there are none. */
export const cancelSelected = Effect.fnUntraced(function* (selection: RunSelection) {
  const held = yield* RunEraser.use((runs) => runs.unfinished(selection, CANCELLED_MAX))
  if (held.length > 0) yield* endRuns(held)
  return held.length > 0
})

/** Cancels some unfinished runs in all workspaces of an organization. False when there are none. */
export const cancelInOrganization = Effect.fnUntraced(function* (organizationId: OrganizationId) {
  const held = yield* RunEraser.use((runs) => runs.unfinishedOf(organizationId, CANCELLED_MAX))
  if (held.length > 0) yield* endRuns(held)
  return held.length > 0
})

/** Erases the next runs of a selection that have ended and whose outcome analytics has counted, with all that belongs to them. */
const eraseEndedRuns = Effect.fnUntraced(function* ({ organizationId }: Erasure, selection: RunSelection) {
  const runs = yield* RunEraser
  const { workspaceId } = selection
  const countedTo = yield* LedgerEraser.use((ledger) => ledger.runsCountedTo)
  const { ids, isLast } = yield* runs.hold(selection, { countedTo, max: RUNS_MAX })
  if (ids.length === 0) return { counts: {}, isOver: isLast }
  const belonging = yield* eraseAll({ _tag: "Resources", organizationId, workspaceId, ids }, ROWS_MAX)
  if (!belonging.isOver) return yield* new StillHeld()
  const removed = yield* runs.remove(workspaceId, ids)
  return { counts: addCounts(belonging.counts, removed), isOver: false }
})

/** Erases ended runs. If none can be erased now, cancels unfinished ones; "wait" if the runs that are left are held or not counted yet. */
export const eraseRuns = Effect.fnUntraced(function* (erasure: Erasure, selection: RunSelection) {
  const outcome = yield* asPortion(erasure, eraseEndedRuns(erasure, selection)).pipe(
    Effect.catchTag("StillHeld", () => Effect.succeed("wait" as const))
  )
  if (outcome !== "wait") return outcome
  return (yield* cancelSelected(selection)) ? "more" : "wait"
})

/** Erases what every domain still has of a subject. */
export const eraseRest = (erasure: Erasure, what: Erased) => asPortion(erasure, eraseAll(what, ROWS_MAX))

/** Erases what is in a workspace, but not the workspace's own row. */
export const eraseWorkspace = Effect.fnUntraced(function* (erasure: Erasure, workspaceId: WorkspaceId) {
  const runs = yield* eraseRuns(erasure, { workspaceId })
  if (runs !== "nothing") return runs
  return yield* eraseRest(erasure, { _tag: "Tenant", organizationId: erasure.organizationId, workspaceId })
})

/**
 * Erases a person: first their names in the feeds; in the transaction in which the feeds have none left, their memberships, sessions and
 * identity. From then on nobody can log in as them. A request that was under way may still add entries, which later portions find by the
 * person's id (`gone`).
 */
export const erasePerson = Effect.fnUntraced(function* (erasure: Erasure) {
  const { organizationId, subjectId } = erasure
  const keys = yield* KeyEraser
  const feeds = yield* FeedEraser
  const portion = Effect.gen(function* () {
    const found = yield* keys.holdPerson(organizationId, subjectId)
    const gone: ErasedPerson = { _tag: "Person", userId: subjectId, memberIds: [subjectId], emails: [] }
    const person = found ?? gone
    const named = yield* feeds.erase(person, ROWS_MAX)
    if (!named.isOver) return named
    return yield* keys.erase(person, ROWS_MAX)
  })
  return yield* asPortion(erasure, portion)
})
