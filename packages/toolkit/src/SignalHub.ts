import { Effect, Option, Queue, type Scope } from "effect"

/** Hands signals to the listeners of one process. Adapters of a port for signals differ only in how a signal gets here. */
export interface SignalHub {
  /** Wakes the listeners of `topic`. One that is not waiting yet returns at once the next time it waits. */
  readonly wake: (topic: string) => void
  /** Wakes all listeners, after a time in which signals may have been missed. */
  readonly wakeAll: () => void
  /**
   * Listens until the scope closes. The function that it returns waits for a signal: true when one came, false after so many seconds
   * without.
   */
  readonly listen: (topic: string) => Effect.Effect<(seconds: number) => Effect.Effect<boolean>, never, Scope.Scope>
}

/** A hub without listeners. Signals that come faster than they are waited for are merged into one. */
export const makeSignalHub = (): SignalHub => {
  const listeners = new Map<string, Set<Queue.Queue<void>>>()
  const wake = (topic: string) => {
    for (const queue of listeners.get(topic) ?? []) Queue.offerUnsafe(queue, undefined)
  }
  const join = (topic: string, queue: Queue.Queue<void>) => {
    const queues = listeners.get(topic) ?? new Set()
    listeners.set(topic, queues.add(queue))
  }
  const leave = (topic: string, queue: Queue.Queue<void>) => {
    const queues = listeners.get(topic)
    queues?.delete(queue)
    if (queues?.size === 0) listeners.delete(topic)
  }
  return {
    wake,
    wakeAll: () => {
      for (const topic of listeners.keys()) wake(topic)
    },
    listen: Effect.fnUntraced(function* (topic: string) {
      const queue = yield* Queue.sliding<void>(1)
      yield* Effect.acquireRelease(
        Effect.sync(() => join(topic, queue)),
        () => Effect.sync(() => leave(topic, queue))
      )
      return (seconds: number) =>
        Effect.map(Effect.timeoutOption(Queue.take(queue), `${seconds} seconds`), Option.isSome)
    })
  }
}
