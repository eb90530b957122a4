/** The runs that a worker has claimed and not settled yet, and what its loops tell each other of them. */
import { Effect, FiberMap, Queue } from "effect"
import type { Execution } from "./Execution.ts"

export interface InFlight {
  readonly executions: Set<Execution>
  /** Their fibers, by claim tokens. */
  readonly fibers: FiberMap.FiberMap<string, void, never>
  /** Offered when a slot gets free. */
  readonly freed: Queue.Queue<void>
  /** Offered when the next heartbeat is to come at once. */
  readonly heartbeatNow: Queue.Queue<void>
}

/** Nothing in flight. What is when the scope closes is interrupted. */
export const makeInFlight = Effect.gen(function* () {
  const inFlight: InFlight = {
    executions: new Set(),
    fibers: yield* FiberMap.make<string, void, never>(),
    freed: yield* Queue.sliding<void>(1),
    heartbeatNow: yield* Queue.sliding<void>(1)
  }
  return inFlight
})
