import { addCounts, atomic, type Erased, type ErasedCounts, WorkspaceId } from "@agent-platform/kernel"
import { KeyEraser } from "@agent-platform/keys"
import {
  AgentId,
  AgentStore,
  RunEraser,
  RunId,
  RunReader,
  type RunSelection,
  SessionId,
  SessionStore
} from "@agent-platform/runs"
import { useCase } from "@agent-platform/toolkit"
import { Effect } from "effect"
import { allErasers, type ErasureSubject, NothingToErase, selectionOf } from "./erasers.ts"

/** Things of one kind are counted up to this number. */
export const COUNTED_MAX = 100_000

/** Most runs whose belongings are counted, and most workspaces whose content is. */
const RUNS_MAX = 500
const WORKSPACES_MAX = 100

/** How many things there are of each kind; null for more than `COUNTED_MAX`, and where not all runs or workspaces were looked through. */
export type ErasureTotals = Readonly<Record<string, number | null>>

const countAll = Effect.fnUntraced(function* (what: Erased) {
  const counts: Array<ErasedCounts> = []
  for (const eraser of yield* allErasers) counts.push(yield* eraser.count(what, COUNTED_MAX + 1))
  return addCounts(...counts)
})

/** The totals; null for those that are not known. `isPart` says that not everything was looked through. */
const bounded = (counts: ErasedCounts, isPart = false): ErasureTotals =>
  Object.fromEntries(
    Object.entries(counts).map(([kind, count]) => [kind, isPart || count > COUNTED_MAX ? null : count])
  )

const countSelected = Effect.fnUntraced(function* (subject: ErasureSubject, selection: RunSelection) {
  const runs = yield* RunEraser
  const ids = yield* runs.idsOf(selection, RUNS_MAX + 1)
  const { organizationId, subjectId } = subject
  const about = [...new Set([subjectId, ...ids.slice(0, RUNS_MAX)])]
  const belonging = yield* countAll({
    _tag: "Resources",
    organizationId,
    workspaceId: selection.workspaceId,
    ids: about
  })
  return {
    ...bounded(belonging, ids.length > RUNS_MAX),
    ...bounded(yield* runs.countRuns(selection, COUNTED_MAX + 1))
  }
})

const countWorkspace = Effect.fnUntraced(function* ({ organizationId }: ErasureSubject, workspaceId: WorkspaceId) {
  const runs = yield* RunEraser
  return addCounts(
    yield* countAll({ _tag: "Tenant", organizationId, workspaceId }),
    yield* runs.countRuns({ workspaceId }, COUNTED_MAX + 1)
  )
})

const countOrganization = Effect.fnUntraced(function* (subject: ErasureSubject) {
  const { organizationId } = subject
  const keys = yield* KeyEraser
  const counts = [yield* countAll({ _tag: "Tenant", organizationId, workspaceId: null })]
  let next = yield* keys.nextWorkspace(organizationId, undefined)
  let workspaces = 0
  for (; next !== undefined && workspaces < WORKSPACES_MAX; workspaces++) {
    counts.push(yield* countWorkspace(subject, next))
    next = yield* keys.nextWorkspace(organizationId, next)
  }
  return bounded(addCounts(...counts, { workspaces }), next !== undefined)
})

/** In a transaction, since `holdPerson` locks the person's rows. Nothing is written. */
const countPerson = Effect.fnUntraced(function* ({ organizationId, subjectId }: ErasureSubject) {
  const person = yield* atomic(KeyEraser.use((keys) => keys.holdPerson(organizationId, subjectId)))
  return person === undefined ? {} : bounded(yield* countAll(person))
})

/** Counts what there is of a subject. */
export const countSubject = Effect.fnUntraced(function* (subject: ErasureSubject) {
  const selection = selectionOf(subject)
  const totals: ErasureTotals =
    selection !== undefined
      ? yield* countSelected(subject, selection)
      : subject.kind === "organization"
        ? yield* countOrganization(subject)
        : subject.kind === "workspace"
          ? bounded(yield* countWorkspace(subject, WorkspaceId.make(subject.subjectId)))
          : yield* countPerson(subject)
  return Object.fromEntries(Object.entries(totals).filter(([, total]) => total !== 0)) satisfies ErasureTotals
})

/** Whether there is something of this kind and id that is not erased yet. */
const isThere = Effect.fnUntraced(function* ({ kind, organizationId, subjectId, workspaceId }: ErasureSubject) {
  const keys = yield* KeyEraser
  // The workspace's id is null for the last three kinds, which do not use it.
  const within = workspaceId as WorkspaceId
  switch (kind) {
    case "run":
      return (yield* RunReader.use((runs) => runs.find(within, RunId.make(subjectId)))) !== undefined
    case "session":
      return (yield* SessionStore.use((sessions) => sessions.find(within, SessionId.make(subjectId)))) !== undefined
    case "agent":
      return (yield* AgentStore.use((agents) => agents.recall(within, AgentId.make(subjectId)))) !== undefined
    case "workspace":
      return (yield* keys.findWorkspace(organizationId, WorkspaceId.make(subjectId)))?.erasedAt === null
    case "organization":
      return (yield* keys.findOrganization(organizationId))?.erasedAt === null
    case "person":
      return (yield* atomic(keys.holdPerson(organizationId, subjectId))) !== undefined
  }
})

/** Counts what an erasure would erase, and changes nothing. Fails with NothingToErase where there is nothing. */
export const countErasure = useCase("platform.countErasure")(function* (subject: ErasureSubject) {
  return (yield* isThere(subject)) ? yield* countSubject(subject) : yield* new NothingToErase()
})
