import { Effect } from "effect"
import { SessionRuns } from "../ports/SessionRuns.ts"
import { type IfBusy, SessionBusy, type SessionId } from "../Session.ts"

/**
 * Fails with SessionBusy when the locked session has an unfinished run that the trigger does not wait for. `acceptRuns` sees to
 * "interrupt", and "enqueue" needs nothing.
 */
export const requireFree = Effect.fnUntraced(function* (sessionId: SessionId, ifBusy: IfBusy) {
  if (ifBusy !== "reject") return
  const sessionRuns = yield* SessionRuns
  const { queued, running } = yield* sessionRuns.countUnfinished(sessionId)
  if (queued + running > 0) return yield* new SessionBusy()
})
