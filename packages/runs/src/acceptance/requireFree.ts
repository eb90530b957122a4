import { Effect } from "effect"
import { RunStore } from "../ports/RunStore.ts"
import { type IfBusy, SessionBusy, type SessionId } from "../Session.ts"

/** Fails with SessionBusy when the session, which the transaction holds, has an unfinished run that is not to be waited for. */
export const requireFree = Effect.fnUntraced(function* (sessionId: SessionId, ifBusy: IfBusy) {
  if (ifBusy !== "reject") return
  const runs = yield* RunStore
  if (yield* runs.isBusy(sessionId)) return yield* new SessionBusy()
})
