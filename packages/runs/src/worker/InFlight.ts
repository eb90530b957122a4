/** The runs that a worker has claimed and not settled yet, and the signals between its loops about them. */
import { Effect, FiberMap, Queue, type Scope } from "effect"
import type { Execution } from "./Execution.ts"

export interface InFlight {
  readonly executions: Set<Execution>
  /** Their fibers, by claim tokens. */
  readonly fibers: FiberMap.FiberMap<string, void, never>
  /** Offered when a slot gets free. */
  readonly freed: Queue.Queue<void>
  /** Offered to make the next heartbeat come at once. */
  readonly heartbeatNow: Queue.Queue<void>
}

/** An empty set. Runs still in it when the scope closes are interrupted. */
export const makeInFlight: Effect.Effect<InFlight, never, Scope.Scope> = Effect.all({
  executions: Effect.sync(() => new Set<Execution>()),
  fibers: FiberMap.make<string, void, never>(),
  freed: Queue.sliding<void>(1),
  heartbeatNow: Queue.sliding<void>(1)
})
