import { Effect } from "effect"
import { SessionRuns } from "../ports/SessionRuns.ts"
import { type IfBusy, SessionBusy, type SessionId } from "../Session.ts"

/**
 * Decides about a run for a locked session that has unfinished ones: by "enqueue", the default, it waits behind them; by
 * "reject" it is refused with SessionBusy; by "interrupt" they are cancelled, and it goes next.
 */
export const placeInSession = Effect.fnUntraced(function* (sessionId: SessionId, ifBusy: IfBusy = "enqueue") {
  if (ifBusy === "reject") {
    const { queued, running } = yield* (yield* SessionRuns).countUnfinished(sessionId)
    if (queued + running > 0) return yield* new SessionBusy()
  }
  return { interrupts: ifBusy === "interrupt" }
})
