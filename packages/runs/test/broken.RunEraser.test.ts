/** Erasers that are broken on purpose, one fault each: a suite that lets a fault through fails here. */
import type { WorkspaceId } from "@agent-platform/kernel"
import { layer as kernel } from "@agent-platform/kernel/memory"
import { Tenants } from "@agent-platform/kernel/testing"
import { type Agent, type Run, RunEraser, type RunEvent } from "@agent-platform/runs"
import { layer as stores } from "@agent-platform/runs/memory"
import { runEraserContract } from "@agent-platform/runs/testing"
import { Effect, Layer } from "effect"
import { faultsOf } from "../../kernel/test/faultsOf.ts"

const memory = Layer.merge(Layer.provideMerge(stores, kernel), Tenants.layerUnfounded)

const fault = faultsOf(RunEraser, memory, runEraserContract)

const COUNTS = "counts and removes entries of logs, compressed ones as well"
const OF_SESSIONS = "removes the runs of a session with their logs, and the session with the last"
const UNFINISHED = "leaves what has not ended, and answers it with its claim"
const WAITS = "waits for a run that is executed in the same session, and names it as unfinished"

fault(
  "an eraser that counts no entries of logs",
  (eraser) => ({
    countRuns: (selection, max) =>
      Effect.map(eraser.countRuns(selection, max), (counts) => ({ ...counts, log_entries: 0 }))
  }),
  [COUNTS, OF_SESSIONS]
)

fault(
  "an eraser that leaves logs",
  (eraser, database) => ({
    remove: (workspaceId, ids) =>
      Effect.gen(function* () {
        const logs = database.table<ReadonlyArray<RunEvent>>("run_event")
        const before = yield* Effect.forEach(ids, (id) => Effect.map(logs.get(id), (log) => [id, log] as const))
        const counts = yield* eraser.remove(workspaceId, ids)
        for (const [id, log] of before) if (log !== undefined) yield* logs.put(id, log)
        return counts
      })
  }),
  [OF_SESSIONS]
)

fault(
  "an eraser that sees no other run than those it may take",
  (eraser) => ({
    hold: (selection, portion) => Effect.map(eraser.hold(selection, portion), (held) => ({ ...held, isLast: true }))
  }),
  [OF_SESSIONS, UNFINISHED, WAITS]
)

fault(
  "an eraser that takes a run while another of its session is executed",
  (eraser) => ({
    hold: (selection, portion) =>
      selection.runId === undefined
        ? eraser.hold(selection, portion)
        : Effect.succeed({ ids: [selection.runId], isLast: true })
  }),
  [WAITS]
)

fault(
  "an eraser that names none but the run itself as unfinished",
  (eraser) => ({
    unfinished: (selection, max) =>
      Effect.map(eraser.unfinished(selection, max), (held) =>
        held.filter(({ run }) => selection.runId === undefined || run.id === selection.runId)
      )
  }),
  [WAITS]
)

fault(
  "an eraser that closes sessions by their id alone",
  (eraser, database) => ({
    closeSession: (workspaceId, id) =>
      Effect.flatMap(database.table<{ readonly workspaceId: WorkspaceId }>("session").get(id), (session) =>
        eraser.closeSession(session?.workspaceId ?? workspaceId, id)
      )
  }),
  ["closes a session: it is not found any more, and no other workspace closes it"]
)

fault(
  "an eraser that removes runs by their ids alone",
  (eraser, database) => ({
    remove: (workspaceId, ids) =>
      Effect.gen(function* () {
        const rows = yield* database.table<{ readonly run: Run }>("run").all
        const [owner = workspaceId] = rows.flatMap(({ run }) => (ids.includes(run.id) ? [run.workspaceId] : []))
        return yield* eraser.remove(owner, ids)
      })
  }),
  ["removes nothing of another workspace, whatever ids it is given"]
)

fault(
  "an eraser that takes agents before their runs",
  (eraser, database) => ({
    erase: (what, max) =>
      Effect.gen(function* () {
        const agents = database.table<Agent>("agent")
        const isMeant = ({ workspaceId }: Agent) => what._tag === "Tenant" && workspaceId === what.workspaceId
        for (const agent of (yield* agents.all).filter(isMeant)) yield* agents.remove(agent.id)
        return yield* eraser.erase(what, max)
      })
  }),
  ["erases the agents of a workspace once they have no runs, and none of another"]
)
