/** The portions of an erasure: each is one transaction, in which it is also written how far the erasure has come. */
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

/** How many runs go in one transaction, with all that belongs to them, and how many rows of each kind of a tenant. */
const RUNS_MAX = 50
const ROWS_MAX = 1_000

/** How many runs are cancelled in one transaction. */
const ENDED_MAX = 50

/** The outcome of a portion: there is more, something is still held by others, or nothing is left. */
export type PortionOutcome = "more" | "wait" | "nothing"

/** Undoes a portion: somebody still holds something of it. */
class StillHeld extends Data.TaggedError("StillHeld")<object> {}

const outcomeOf = ({ counts, isOver }: ErasedPortion): PortionOutcome =>
  Object.values(counts).some((count) => count > 0) ? "more" : isOver ? "nothing" : "wait"

/** Does a portion, and notes it with the erasure; nothing where that has ended. */
export const noted = <E, R>(erasure: Erasure, act: Effect.Effect<ErasedPortion, E, R>) =>
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

/** Cancels what has not ended of these runs, and answers whether there was anything. */
export const endSelected = Effect.fnUntraced(function* (selection: RunSelection) {
  const held = yield* RunEraser.use((runs) => runs.unfinished(selection, ENDED_MAX))
  if (held.length > 0) yield* endRuns(held)
  return held.length > 0
})

/** The same of the runs of all workspaces of an organization. */
export const endOfOrganization = Effect.fnUntraced(function* (organizationId: OrganizationId) {
  const held = yield* RunEraser.use((runs) => runs.unfinishedOf(organizationId, ENDED_MAX))
  if (held.length > 0) yield* endRuns(held)
  return held.length > 0
})

/** The next runs of a selection that have ended, with everything that belongs to them. */
const endedRuns = Effect.fnUntraced(function* ({ organizationId }: Erasure, selection: RunSelection) {
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

/** Erases runs, the unfinished ones cancelled; "wait" for those whose outcome is not counted yet. */
export const eraseRuns = Effect.fnUntraced(function* (erasure: Erasure, selection: RunSelection) {
  const outcome = yield* noted(erasure, endedRuns(erasure, selection)).pipe(
    Effect.catchTag("StillHeld", () => Effect.succeed("wait" as const))
  )
  if (outcome !== "wait") return outcome
  return (yield* endSelected(selection)) ? "more" : "wait"
})

/** Erases what is left of a thing, by every domain. */
export const eraseRest = (erasure: Erasure, what: Erased) => noted(erasure, eraseAll(what, ROWS_MAX))

/** Erases a workspace, whose row stays without a name. */
export const eraseWorkspace = Effect.fnUntraced(function* (erasure: Erasure, workspaceId: WorkspaceId) {
  const runs = yield* eraseRuns(erasure, { workspaceId })
  if (runs !== "nothing") return runs
  return yield* eraseRest(erasure, { _tag: "Tenant", organizationId: erasure.organizationId, workspaceId })
})

/**
 * Erases a person: first their names in the feeds, then, in the transaction that finds none any more, their memberships, sessions and
 * identity. Afterwards nobody can log in as them, and what a request of theirs writes that was under way is found by their id.
 */
export const erasePerson = Effect.fnUntraced(function* (erasure: Erasure) {
  const { organizationId, subjectId } = erasure
  const keys = yield* KeyEraser
  const feeds = yield* FeedEraser
  const known = Effect.gen(function* () {
    const found = yield* keys.holdPerson(organizationId, subjectId)
    const gone: ErasedPerson = { _tag: "Person", userId: subjectId, memberIds: [subjectId], emails: [] }
    const person = found ?? gone
    const named = yield* feeds.erase(person, ROWS_MAX)
    if (!named.isOver) return named
    return yield* keys.erase(person, ROWS_MAX)
  })
  return yield* noted(erasure, known)
})
