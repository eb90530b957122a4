import { LedgerEraser } from "@agent-platform/billing"
import {
  atomic,
  countsOf,
  Erasure,
  type ErasureId,
  type ErasureKind,
  ErasureStore,
  isErasureFinished,
  type OrganizationId,
  WorkspaceId
} from "@agent-platform/kernel"
import { KeyEraser } from "@agent-platform/keys"
import { useCase } from "@agent-platform/toolkit"
import { Context, DateTime, Effect } from "effect"
import { countSubject } from "./countErasure.ts"
import { selectionOf } from "./erasers.ts"
import {
  cancelInOrganization,
  cancelSelected,
  erasePerson,
  eraseRest,
  eraseRuns,
  eraseWorkspace,
  type PortionOutcome
} from "./portions.ts"
import { recordErasure } from "./recordErasure.ts"

/** Names an erasure, as its jobs do. */
export interface ErasureOf {
  readonly organization_id: OrganizationId
  readonly erasure_id: ErasureId
}

/** The outcome of one step: there is more to do now, there is more once others have released it, or the erasure is over. */
export type ErasureStep = "more" | "wait" | "over"

/**
 * How many seconds after its closing the erasure of a tenant begins. A request that was recognised before may still write, and ends
 * within this time. A person's last requests end within it as well.
 */
export const CLOSING_SECONDS = 90

/** `CLOSING_SECONDS`; shorter in tests. */
export const ClosingSeconds = Context.Reference<number>("@agent-platform/platform/ClosingSeconds", {
  defaultValue: () => CLOSING_SECONDS
})

/** The kinds that are tenants, which are closed first. */
const CLOSED_KINDS: ReadonlySet<ErasureKind> = new Set(["workspace", "organization"])

/** Whether requests that began before the erasure was asked for have ended. */
const isClosingOver = Effect.fnUntraced(function* ({ createdAt }: Erasure) {
  const seconds = yield* ClosingSeconds
  return DateTime.isGreaterThanOrEqualTo(yield* DateTime.now, DateTime.add(createdAt, { seconds }))
})

/** Cancels some of the unfinished runs, so that they add nothing more. False when none is left. */
const cancelSome = Effect.fnUntraced(function* (erasure: Erasure) {
  const selection = selectionOf(erasure)
  if (selection !== undefined) return yield* cancelSelected(selection)
  if (erasure.kind === "workspace") return yield* cancelSelected({ workspaceId: WorkspaceId.make(erasure.subjectId) })
  return erasure.kind === "organization" && (yield* cancelInOrganization(erasure.organizationId))
})

/** Cancels the unfinished runs, some in each step, and then counts what there is to erase. */
const begin = Effect.fnUntraced(function* (erasure: Erasure) {
  const store = yield* ErasureStore
  if (yield* cancelSome(erasure)) return "more" as const
  if (CLOSED_KINDS.has(erasure.kind) && !(yield* isClosingOver(erasure))) return "wait" as const
  const totals = yield* countSubject(erasure)
  const begun = Effect.gen(function* () {
    const before = yield* store.findToChange(erasure.organizationId, erasure.id)
    if (before === undefined || before.startedAt !== null || isErasureFinished(before)) return
    yield* store.replace({ ...Erasure.begun(before, yield* DateTime.now), counts: countsOf(totals) })
  })
  yield* atomic(begun)
  return "more" as const
})

/** Ends a workspace with nothing left in it. Its row is removed, but stays without a name if usage is counted under its id. */
const endWorkspace = Effect.fnUntraced(function* (organizationId: OrganizationId, workspaceId: WorkspaceId) {
  const keys = yield* KeyEraser
  const isCounted = yield* LedgerEraser.use((ledger) => ledger.isCounted(workspaceId))
  return yield* isCounted
    ? keys.eraseWorkspace(organizationId, workspaceId, yield* DateTime.now)
    : keys.removeWorkspace(organizationId, workspaceId)
})

/** An organization workspace by workspace, and then what it has beside them. */
const eraseOrganization = Effect.fnUntraced(function* (erasure: Erasure) {
  const { organizationId } = erasure
  const keys = yield* KeyEraser
  const workspaceId = yield* keys.nextWorkspace(organizationId)
  if (workspaceId === undefined) {
    return yield* eraseRest(erasure, { _tag: "Tenant", organizationId, workspaceId: null })
  }
  const outcome = yield* eraseWorkspace(erasure, workspaceId)
  if (outcome !== "nothing") return outcome
  yield* atomic(endWorkspace(organizationId, workspaceId))
  return "more" as const
})

const nextPortion = Effect.fnUntraced(function* (erasure: Erasure) {
  const { kind, organizationId, subjectId } = erasure
  const selection = selectionOf(erasure)
  if (selection !== undefined) {
    const runs = yield* eraseRuns(erasure, selection)
    if (runs !== "nothing") return runs
    const { workspaceId } = selection
    return yield* eraseRest(erasure, { _tag: "Resources", organizationId, workspaceId, ids: [subjectId] })
  }
  if (kind === "organization") return yield* eraseOrganization(erasure)
  if (kind === "workspace") return yield* eraseWorkspace(erasure, WorkspaceId.make(subjectId))
  const outcome: PortionOutcome = yield* erasePerson(erasure)
  if (outcome !== "nothing") return outcome
  // Requests of the person that were under way may still have written something.
  return (yield* isClosingOver(erasure)) ? ("nothing" as const) : ("wait" as const)
})

/** Ends an erasure of which nothing is left to do. */
const finish = Effect.fnUntraced(function* ({ id, organizationId }: Erasure) {
  const store = yield* ErasureStore
  const keys = yield* KeyEraser
  const before = yield* store.findToChange(organizationId, id)
  if (before === undefined || isErasureFinished(before)) return
  const now = yield* DateTime.now
  if (before.kind === "workspace") yield* endWorkspace(organizationId, WorkspaceId.make(before.subjectId))
  if (before.kind === "organization") yield* keys.eraseOrganization(organizationId, now)
  yield* recordErasure("erased", before)
  yield* store.replace(Erasure.ended(before, "done", now))
}, atomic)

/**
 * Does the next portion of an erasure. Each portion is one transaction, which also writes the progress, and takes what is left: after a
 * crash the erasure goes on right there, and two workers at once erase nothing twice.
 */
export const continueErasure = useCase("platform.continueErasure")(function* ({
  erasure_id: id,
  organization_id: organizationId
}: ErasureOf) {
  const store = yield* ErasureStore
  const erasure = yield* store.find(organizationId, id)
  if (erasure === undefined || isErasureFinished(erasure)) return "over" as const
  if (erasure.startedAt === null) return yield* begin(erasure)
  const outcome = yield* nextPortion(erasure)
  if (outcome !== "nothing") return outcome
  yield* finish(erasure)
  return "over" as const
})

/** Gives up an erasure that failed too often. Its subject stays closed, and its erasure can be asked for again. */
export const giveUpErasure = useCase("platform.giveUpErasure")(function* ({
  erasure_id: id,
  organization_id: organizationId
}: ErasureOf) {
  const store = yield* ErasureStore
  const before = yield* store.findToChange(organizationId, id)
  if (before === undefined || isErasureFinished(before)) return
  yield* store.replace(Erasure.ended(before, "failed", yield* DateTime.now))
}, atomic)
