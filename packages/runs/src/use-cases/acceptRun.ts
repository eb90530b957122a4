import { currentTraceparent, recordActivity, Signals, useCase, type WorkspaceCaller } from "@agent-platform/kernel"
import { DateTime, Effect } from "effect"
import {
  type AcceptanceAction,
  acceptanceActivity,
  type NewRun,
  newRun,
  RUN_QUEUED,
  sessionBegunBy
} from "../NewRun.ts"
import { RunStore } from "../ports/RunStore.ts"
import { SpendGate } from "../ports/SpendGate.ts"
import { QUEUED_RUNS_MAX, QueueRoom } from "../QueueRoom.ts"
import { QueueFull } from "../Run.ts"
import type { NewRunEvent } from "../RunEvent.ts"
import { type IfBusy, SessionBusy, type SessionId } from "../Session.ts"
import { RUNS_READY } from "../signals.ts"
import { cancelBatch, cancelRuns } from "./cancelRuns.ts"

/**
 * Fails with CapReached when the workspace may spend nothing more this month, and with QueueFull when its queue is full,
 * however many add to it at the same moment: near to the limit those who add to the queue go one by one.
 */
export const admitToQueue = Effect.fnUntraced(function* (caller: WorkspaceCaller) {
  const { workspaceId } = caller
  const gate = yield* SpendGate
  yield* gate.admit(caller)
  const room = yield* QueueRoom
  if (yield* room.isWide(workspaceId)) return
  const runs = yield* RunStore
  yield* runs.holdQueue(workspaceId)
  const queued = yield* runs.countQueued(workspaceId, QUEUED_RUNS_MAX)
  if (queued >= QUEUED_RUNS_MAX) return yield* new QueueFull({ limit: QUEUED_RUNS_MAX })
})

/** Does what is asked for when the session, which the transaction holds, is busy. Fails with SessionBusy. */
export const makeWay = Effect.fnUntraced(function* (caller: WorkspaceCaller, sessionId: SessionId, ifBusy: IfBusy) {
  if (ifBusy === "enqueue") return
  if (ifBusy === "interrupt") {
    const cancellation = { caller, reason: "Interrupted by another run of the session", mode: "graceful" } as const
    yield* cancelRuns((before) => cancelBatch(sessionId, cancellation, before))
    return
  }
  const runs = yield* RunStore
  if (yield* runs.isBusy(sessionId)) return yield* new SessionBusy()
})

/**
 * Writes a run at the end of its session's line, with the beginning of its log and the activity entry: in the session
 * that it begins, or in one that the transaction holds.
 */
export const acceptRun = useCase("runs.acceptRun")(function* (
  given: Omit<NewRun, "createdAt" | "trace">,
  options: {
    readonly isFirst: boolean
    /** What the log says before the run is queued. */
    readonly events: ReadonlyArray<Pick<NewRunEvent, "type" | "data">>
    readonly action: AcceptanceAction
  }
) {
  const runs = yield* RunStore
  const signals = yield* Signals
  const run = newRun({ ...given, createdAt: yield* DateTime.now, trace: yield* currentTraceparent })
  const events = [...options.events, RUN_QUEUED].map((event) => ({ ...event, createdAt: run.createdAt, attempt: 0 }))
  yield* options.isFirst ? runs.insertFirst({ run, session: sessionBegunBy(run), events }) : runs.insert(run, events)
  yield* recordActivity(acceptanceActivity(options.action, given.caller, given.agent, run))
  yield* signals.raise(RUNS_READY)
  return run
})
