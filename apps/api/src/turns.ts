/** Limits how often a process does some work at the same time, in total and for one organization. */
import type { Caller } from "@agent-platform/contract"
import type { OrganizationId } from "@agent-platform/kernel"
import { Effect, RcMap, type Scope, Semaphore } from "effect"

/** The longest wait for a turn. */
const TURN_SECONDS_MAX = 10

/** Waits for a turn, which ends with the request; fails after too long a wait. */
export type TakeTurn<E, R> = (caller: Pick<Caller, "organizationId">) => Effect.Effect<void, E, R | Scope.Scope>

/** Makes turns: a process gives `max` at a time, at most `perOrganization` of them to one organization. */
export const makeTurns = Effect.fnUntraced(function* <E, R>(options: {
  readonly max: number
  readonly perOrganization: number
  /** The failure after too long a wait. */
  readonly refused: Effect.Effect<never, E, R>
}): Effect.fn.Return<TakeTurn<E, R>, never, Scope.Scope> {
  const all = Semaphore.makeUnsafe(options.max)
  const organizations = yield* RcMap.make({
    lookup: (_: OrganizationId) => Effect.sync(() => Semaphore.makeUnsafe(options.perOrganization))
  })
  const take = Effect.fnUntraced(function* (organizationId: OrganizationId) {
    const own = yield* RcMap.get(organizations, organizationId)
    yield* own.takeScoped(1)
    yield* all.takeScoped(1)
  })
  return ({ organizationId }) =>
    Effect.timeoutOrElse(take(organizationId), {
      duration: `${TURN_SECONDS_MAX} seconds`,
      orElse: () => options.refused
    })
})
